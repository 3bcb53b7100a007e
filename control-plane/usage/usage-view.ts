// A view of access_usage.log: tables of usage.db that are made from its lines.
import type { Adoption } from "./adopt.ts";
import type { UsageDatabase } from "./usage-database.ts";
import type { UsageLine } from "./usage-line.ts";

export interface UsageView {
  /** Stands for the view in usage.db. */
  name: string;
  /** Statements that create its tables where they do not exist. */
  schema: string;
  /** The file of an older version with the same content; absent: there was none. */
  adoption?: Adoption;
  /** Whether it begins at the end of a log that it has not read: the lines before are known otherwise. */
  startsAtEnd?: boolean;
  /** Whether its sums are in memory as a whole, so that a new file can be written from them. */
  isInMemory?: boolean;
  /**
   * Called when the file was opened. Forgets what was added and not written, unless the view is in memory as a whole.
   * @param isFirst whether no file was open before
   */
  open: (database: UsageDatabase, isFirst: boolean) => void;
  /** Adds a line. @param isRepeated whether it was added before, to a file that is lost */
  add: (line: UsageLine, text: string, isRepeated: boolean) => void;
  /** Counts a line that was cut off. */
  addCut?: () => void;
  /** Writes what was added, in a transaction that may fail. */
  write: (database: UsageDatabase) => void;
  /** Called when what `write` has written is in the file. */
  written: () => void;
  /** Called when the file can be written again. @param isReread whether lines that were added before are read again */
  recovered?: (isReread: boolean) => void;
}
