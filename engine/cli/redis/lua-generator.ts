/** Random scripts: lock recipes, and small programs over Lua's operators, tables, strings and errors. */
interface Chooser {
  pick<T>(list: readonly T[]): T;
}

const RECIPES = [
  "if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end",
  "if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('pexpire',KEYS[1],100000) else return 0 end",
  "if redis.call('setnx',KEYS[1],ARGV[1]) == 1 then return redis.call('incr','fence') end return false",
  "if (redis.call('exists', KEYS[1]) == 0) then redis.call('hincrby', KEYS[1], 'owner', 1); redis.call('pexpire', KEYS[1], 100000); return nil; end; return redis.call('type', KEYS[1]);",
  "local v = redis.pcall('incr', KEYS[1]) if type(v) == 'table' then return v['err'] end return v",
  "local r = {} for i, k in ipairs(KEYS) do r[i] = redis.call('exists', k) end return r",
  "redis.call('zadd', 'zset', 5, ARGV[1]) return redis.call('zrange', 'zset', 0, -1, 'withscores')",
  "return redis.call('mget', unpack(KEYS))",
  "local t = redis.call('hgetall', 'hash') local n = 0 for i = 1, #t, 2 do n = n + 1 end return {n, t}",
  "return redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', 100000)",
  "return {redis.call('set', KEYS[1], 'v'), redis.call('get', KEYS[1]), redis.call('ttl', KEYS[1])}",
  "redis.call('publish', 'lock:released', ARGV[1]) return 1",
  "redis.call('lpush', 'list', 'q') return redis.call('blpop', 'list', 0)",
  "redis.call('set', KEYS[1], 'x') redis.call('expire', KEYS[1], 0) return redis.call('exists', KEYS[1])",
  "return redis.call('rename', KEYS[1], 'renamed')",
  "return {redis.sha1hex(ARGV[1]), #ARGV[1], ARGV[1]:upper()}",
];

const ATOMS = [
  "1",
  "2.5",
  "-3",
  "'a'",
  "'10'",
  "nil",
  "true",
  "false",
  "{}",
  "{1,2,3}",
  "{x=1}",
  "KEYS[1]",
  "ARGV[1]",
  "ARGV[9]",
  "x",
  "t.a",
  "t.none",
  "#t",
  "'a b c'",
  "0x10",
  "1e3",
  "3 % -2",
  "1/0",
  "(...)",
  "f",
  "10/4",
];
const OPERATORS = ["+", "-", "*", "/", "%", "..", "==", "~=", "<", "<=", ">", ">=", "and", "or", "^"];
const CALLS = [
  "tostring(E)",
  "type(E)",
  "tonumber(E)",
  "f(E)",
  "#(E)",
  "not E",
  "-(E)",
  "string.len(E)",
  "string.sub(E, 2)",
  "string.rep(E, 2)",
  "math.floor(E)",
  "math.max(E, 2)",
  "select('#', E, E)",
  "tostring(E):upper()",
  "string.format('%s|%d', tostring(E), 7)",
  "string.format('%5.1f', E)",
  "string.format('%q', E)",
  "({E, E})[1]",
  "string.find(E, 'a')",
  "string.gsub(E, '%w', '%0%0')",
  "string.match(E, '(%w+)')",
  "pcall(f, E)",
  "table.concat({E, E}, ',')",
  "string.byte(E)",
  "redis.sha1hex(E)",
  "unpack({E, E})",
  "rawequal(E, E)",
  "next({E})",
  "cjson.encode({E})",
  "tonumber(E, 16)",
  "string.reverse(E)",
  "string.lower(E)",
  "math.abs(E)",
  "math.min(E, 1)",
  "string.format('%x', E)",
  "string.format('%g', E)",
  "string.format('%05d', E)",
  "string.format('%-5s|', E)",
  "string.format('%.3s', E)",
  "string.format('%e', E)",
  "t[E]",
  "E.x",
  "E()",
  "redis.error_reply(E)",
  "redis.status_reply(E)",
];
const STATEMENTS = [
  "x = E",
  "t.a = E",
  "t[E] = E",
  "if E then x = E else x = E end",
  "for i = 1, 3 do t[i] = E end",
  "for i = 3, 1, -1 do x = i end",
  "for i, v in ipairs({E, E}) do x = v end",
  "for w in string.gmatch('a b c', '%a') do x = w end",
  "while not done do done = true x = E end",
  "repeat local y = E until true",
  "table.insert(t, E)",
  "table.insert(t, 1, E)",
  "table.remove(t)",
  "table.sort(t)",
  "local a, b = E, E x = b",
  "local function g(n) if n == 0 then return E end return g(n - 1) end x = g(3)",
  "x = (function(...) return select('#', ...) end)(E, E)",
  "f = function(a) return a, E end",
  "local ok, e = pcall(function() return E end) x = e",
  "local ok, e = pcall(error, E) x = e",
  "x = setmetatable({}, {__index = function(_, k) return k end}).foo",
  "do local x = E end",
  "x = [[long]] .. tostring(E)",
  "error(E)",
  "y = 1",
  "redis.call('set', 'a', E)",
  "redis.call(E)",
  "redis.pcall('get', E)",
  "x = redis.call('get', 'a')",
  "x = redis.pcall('incr', 'list')",
  "assert(E)",
  "assert(E, 'no')",
  "if x then return E end",
];
const BROKEN = [
  "return +",
  "x =",
  "if x then",
  "for i = 1 do end",
  "return 'abc",
  "local 1 = 2",
  "f(",
  "x = }",
  "end",
  "return return",
  "local x = = 1",
  "while true do",
  "a.b:c = 1",
  "x = 1e",
  "break",
  "return ...)",
  "--[[ open",
  "x = [[ open",
  "local function end",
  "return 1 2",
  "for k in pairs(t) print(k) end",
  "goto x",
  "x = 5 // 2",
  '"abc\n"',
];

export function luaScript(chooser: Chooser): string {
  const kind = chooser.pick(["recipe", "recipe", "program", "program", "program", "return", "broken"]);
  if (kind === "recipe") return chooser.pick(RECIPES);
  if (kind === "broken") return chooser.pick(BROKEN);
  const head = "local x, done, t = 1, false, {a = 1, 5, 6}\nlocal f = function(a) return a end\n";
  if (kind === "return") return `${head}return ${expression(chooser, 2)}`;
  const count = chooser.pick([1, 2, 3]);
  const body = Array.from({ length: count }, () => filled(chooser, chooser.pick(STATEMENTS))).join("\n");
  return `${head}${body}\nreturn ${chooser.pick(["x", "t", "{x, t}", "tostring(x)", "type(x)", "#t", "t.a"])}`;
}

function expression(chooser: Chooser, depth: number): string {
  const kind = depth === 0 ? "atom" : chooser.pick(["atom", "operator", "operator", "call", "call"]);
  if (kind === "atom") return chooser.pick(ATOMS);
  if (kind === "call") return filled(chooser, chooser.pick(CALLS), depth - 1);
  return `(${expression(chooser, depth - 1)} ${chooser.pick(OPERATORS)} ${expression(chooser, depth - 1)})`;
}

function filled(chooser: Chooser, template: string, depth = 1): string {
  return template.replaceAll(/\bE\b/g, () => expression(chooser, depth));
}
