// Grants: how several gateways share a budget. In Redis a hash per budget and period has a field for each gateway: what it has
// spent, what it was granted (what is spent included), and until when. The script changes one gateway's field, and never
// grants more than what is left when the others use all that they were granted.
import { createHash } from "node:crypto";
import { readHash, redisProblem, type RedisConnection } from "./redis-connection.ts";

/** A grant ends when its gateway has not been heard of for so long. By Redis's clock. */
export const LEASE_MS = 60_000;
/**
 * After Redis has lost its memory, nothing new is granted for so long: every gateway reconnects in less, and writes what it has
 * spent and what it holds.
 */
export const SETTLE_MS = 2_500;

const SCRIPT = `
local id, spent, held, wanted, amount = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local lease, settle, expires = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function read(row)
  local s, g, u = string.match(row or '0 0 0', '^(%d+) (%d+) (%d+)$')
  return tonumber(s), tonumber(g), tonumber(u)
end
local function write(name, s, g, u)
  redis.call('HSET', KEYS[1], name, string.format('%.0f %.0f %.0f', s, g, u))
end
local since = tonumber(redis.call('GET', KEYS[2]) or nil)
if not since then
  since = now
  redis.call('SET', KEYS[2], string.format('%.0f', now))
end
local isSettling = now - since < settle
for at = 9, #ARGV, 2 do
  local s, g, u = read(redis.call('HGET', KEYS[1], ARGV[at]) or nil)
  if tonumber(ARGV[at + 1]) > s then write(ARGV[at], tonumber(ARGV[at + 1]), g, u) end
end
local rows = redis.call('HGETALL', KEYS[1])
local room, others = amount, {}
for at = 1, #rows, 2 do
  local s, g, u = read(rows[at + 1])
  if rows[at] == id then
    spent = math.max(spent, s)
  else
    others[#others + 1] = rows[at]
    others[#others + 1] = string.format('%.0f', s)
    if u <= now then g = 0 end
    room = room - math.max(s, g)
  end
end
if isSettling then wanted = math.min(wanted, held) end
local granted = math.max(0, math.min(wanted, room))
write(id, spent, granted, now + lease)
if expires > 0 then redis.call('EXPIREAT', KEYS[1], expires) end
return {string.format('%.0f', granted), string.format('%.0f', math.max(0, room)), isSettling and 1 or 0, others}
`;

export interface GrantRequest {
  /** Of the hash, and of the key that Redis loses with its memory. */
  keys: { budget: string; memory: string };
  /** The id of this gateway. */
  gateway: string;
  /** Nano-dollars: of the ledger; what this gateway may spend at the moment; what it asks for; of the budget. */
  spent: number;
  held: number;
  wanted: number;
  amount: number;
  /** How long the grant is kept for this gateway. Milliseconds. */
  leaseMs: number;
  /** When the hash may be deleted, in seconds since 1970; 0: never. */
  expires: number;
  /** What this gateway knows of the others' spend: Redis may have lost it. */
  others?: ReadonlyMap<string, number>;
}

export interface GrantResponse {
  granted: number;
  /** What is left of the amount if the other gateways use all that they hold. */
  room: number;
  /** Whether nothing new is granted, because Redis has just started without its data. */
  isSettling: boolean;
  /** What the other gateways have spent. */
  others: Map<string, number>;
}

/** Reports what is spent, and returns what this gateway may spend. */
export async function requestGrant(
  redis: RedisConnection,
  request: GrantRequest,
): Promise<GrantResponse> {
  const { keys, gateway, spent, held, wanted, amount, leaseMs, expires } = request;
  const numbers = [spent, held, wanted, amount, leaseMs, SETTLE_MS, expires];
  const known = [...(request.others ?? [])].flatMap(([id, of]) => [id, whole(of)]);
  const words = ["2", keys.budget, keys.memory, gateway, ...numbers.map(whole), ...known];
  const [granted, room, isSettling, rest] = (await evaluate(redis, words)) as [
    string,
    string,
    number,
    string[],
  ];
  const found = new Map<string, number>();
  for (let at = 0; at < rest.length; at += 2) found.set(rest[at] ?? "", Number(rest[at + 1]));
  return {
    granted: Number(granted),
    room: Number(room),
    isSettling: isSettling === 1,
    others: found,
  };
}

/** Returns what each gateway has spent of a budget. */
export async function readSharedSpend(
  redis: RedisConnection,
  key: string,
): Promise<[gateway: string, spent: number][]> {
  const rows = await readHash(redis, key);
  return rows.map(([gateway, row]) => [gateway, Number(row.split(" ")[0])]);
}

/** By the SHA-1 of the script, which is sent when Redis does not know it. */
async function evaluate(redis: RedisConnection, words: readonly string[]): Promise<unknown> {
  try {
    return await redis.send(["EVALSHA", SCRIPT_SHA, ...words]);
  } catch (error) {
    if (!redisProblem(error).startsWith("NOSCRIPT")) throw error;
    return redis.send(["EVAL", SCRIPT, ...words]);
  }
}

const SCRIPT_SHA = createHash("sha1").update(SCRIPT).digest("hex");

const whole = (number: number) => Math.max(0, Math.floor(number)).toFixed(0);
