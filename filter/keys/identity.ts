// Who a client is: one `ApiKey`, whichever source knows it. A source sets its name, user and groups, and has it completed here.
import { ApiKey } from "../config/api-keys";
import { Config } from "../config/read-config";
import { scan, SCAN_OK } from "../bytes/json/scan";
import { scratchTape } from "../bytes/json/tape";
import { ByteBuffer, scratchBuffer, Span } from "../bytes/text/bytes";
import { HeldText } from "../bytes/text/held-text";
import { AllowedByRows, readPart } from "./allowed-by-rows";
import { freeRow, GROUP_ROW, readRow, row, USER_ROW } from "./key-rows";
import { addUse } from "./read-use";

const COMMA: u32 = 0x2c;

const tape = scratchTape();
const models = scratchBuffer();
const part = new Span(0, 0);

/**
 * Adds to a client what the rows of its groups and of its user allow, limit and charge. A group without a row allows nothing, because
 * it may have been removed.
 * @param own the models that the source of the client allows, one a line; null: all
 */
export function completeIdentity(config: Config, client: ApiKey, own: HeldText | null): void {
  const allowed = new AllowedByRows(config, client.allowed);
  let isRestricted = own !== null;
  if (own !== null) allowed.addList(own);
  const groups = config.hasRunTimeKeys ? client.group : null;
  if (groups !== null) {
    let allowsAll = false;
    models.clear();
    for (let at: u32 = 0; at < groups.length;) {
      at = readPart(groups, at, COMMA, part);
      if (readRow(GROUP_ROW, part.pointer, part.length) && !addRow(client, "group ", part))
        allowsAll = true;
      freeRow();
    }
    if (!allowsAll) allowed.addList(heldText(models));
    if (!allowsAll) isRestricted = true;
  }
  const user = client.user;
  if (user !== null) {
    models.clear();
    user.view(part);
    const isThere = readRow(USER_ROW, part.pointer, part.length);
    if (isThere && addRow(client, "user ", part)) {
      allowed.addList(heldText(models));
      isRestricted = true;
    }
    freeRow();
  }
  if (isRestricted) client.allowed = allowed;
}

/** Adds the row that was read last, and its models to `models`. Returns whether it restricts the models. */
function addRow(client: ApiKey, kind: string, name: Span): bool {
  const isRead = scan(tape, row.pointer, row.length) == SCAN_OK;
  const isRestricted = isRead && addUse(tape, client, kind + name.toText(), models);
  tape.reset();
  // A row that cannot be read allows nothing.
  return isRestricted || !isRead;
}

export function heldText(bytes: ByteBuffer): HeldText {
  return new HeldText(bytes.pointer, bytes.length);
}
