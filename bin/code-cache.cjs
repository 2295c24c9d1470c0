// Runs the bundle from a code cache that is made at the end of a first run: it holds what that run has compiled, functions that
// were called late included. Node's own compile cache holds what is compiled while modules load, a quarter of it.
//
// A cache is code. It lies in a directory of this user alone, and counts only for the very files that it was made of: V8 compares no
// more than the length of a source.
/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-argument, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return, typescript/unbound-method -- no types here */
'use strict';
const fs = require('node:fs');
const { dirname } = require('node:path');
const { Script } = require('node:vm');

const unusedMs = 30 * 24 * 3600_000;

/** Runs the file and what it requires; returns its exports. `args`: each verb has a cache of its own. */
exports.run = (entry, args) => {
  const pack = openPack(entry, args);
  const running = { scripts: new Map(), modules: new Map(), pack, fresh: false };
  const module = load(running, entry);
  if (pack !== null) process.on('exit', () => save(running));
  return module;
};

/** A directory below the user's own cache; `null` without one, and where HOME is another user's, as under sudo. */
exports.directoryOf = (name) => {
  const { XDG_CACHE_HOME: cache, HOME: home } = process.env;
  const base = cache?.startsWith('/') ? cache : home?.startsWith('/') ? `${home}/.cache` : null;
  return base === null || !isOwn(base) ? null : `${base}/caisson/${name}`;
};

/** Itself, or what is there above it: who owns a directory decides what lies in it. */
function isOwn(path) {
  const found = fs.statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return path !== '/' && isOwn(dirname(path));
  return found.uid === process.getuid?.() || found.uid === 0;
}

function load(running, path) {
  const known = running.modules.get(path);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  running.modules.set(path, module);
  const requireFrom = (id) => {
    if (!id.startsWith('.')) return require(id);
    // It imports, which code that was compiled here cannot.
    if (id === '../import.cjs') return require(`${dirname(dirname(path))}/import.cjs`);
    return load(running, dirname(path) + id.slice(1));
  };
  compile(running, path).call(module.exports, module.exports, requireFrom, module, path, dirname(path));
  return module.exports;
}

function compile(running, path) {
  const source = fs.readFileSync(path, 'utf8');
  const stamp = stampOf(fs.statSync(path));
  const cached = running.pack?.entries.get(path);
  const cachedData = cached?.stamp === stamp ? cached.data : undefined;
  const text = `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
  const script = new Script(text, { filename: path, cachedData });
  if (cachedData === undefined || script.cachedDataRejected) running.fresh = true;
  running.scripts.set(path, { script, stamp });
  return script.runInThisContext();
}

function stampOf({ dev, ino, size, mtimeMs, ctimeMs }) {
  return [dev, ino, size, mtimeMs, ctimeMs].join(' ');
}

/** `null`: there is no place for a cache. */
function openPack(entry, [verb = '']) {
  const directory = exports.directoryOf('code');
  if (directory === null) return null;
  const word = /^[a-z]{1,20}$/.test(verb) ? verb : 'other';
  const node = shortHash([process.version, process.arch, process.execArgv, process.env.NODE_OPTIONS].join(' '));
  const file = `${directory}/${shortHash(entry)}-${node}-${word}.pack`;
  return { directory, file, entries: readPack(file) };
}

/** FNV-1a, to keep installations and versions of Node apart. A collision costs time alone: V8 refuses what is not its own. */
function shortHash(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash.toString(16);
}

/** Length of the head, the head in JSON, the data of each script. What is not whole, or may be of another user, counts as nothing. */
function readPack(file) {
  try {
    const bytes = readOwn(file);
    const data = 4 + bytes.readUInt32LE(0);
    const head = JSON.parse(bytes.toString('utf8', 4, data));
    return new Map(
      head.map(({ path, stamp, from, length }) => [
        path,
        { stamp, data: bytes.subarray(data + from, data + from + length) },
      ]),
    );
  } catch {
    return new Map();
  }
}

function readOwn(file) {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
  try {
    const found = fs.fstatSync(fd);
    const self = process.getuid?.();
    if (!found.isFile() || found.uid !== self || (found.mode & 0o022) !== 0) throw new Error('not of this user alone');
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function save({ pack, scripts, fresh }) {
  if (!fresh) return;
  try {
    fs.mkdirSync(pack.directory, { recursive: true, mode: 0o700 });
    if ((fs.statSync(pack.directory).mode & 0o022) !== 0) return;
    const own = `${pack.file}.${process.pid}`;
    fs.writeFileSync(own, packOf(pack, scripts), { mode: 0o600 });
    fs.renameSync(own, pack.file);
    removeUnused(pack.directory);
  } catch {
    // A full or read-only disk: the next run compiles again.
  }
}

/** Scripts of this run, and those of earlier ones that it did not need. */
function packOf({ entries }, scripts) {
  const kept = [...entries]
    .filter(([path]) => !scripts.has(path))
    .map(([path, { stamp, data }]) => ({ path, stamp, data }));
  const made = [...scripts].map(([path, { script, stamp }]) => ({ path, stamp, data: script.createCachedData() }));
  let from = 0;
  const head = [...kept, ...made].map(({ path, stamp, data }) => {
    const entry = { path, stamp, from, length: data.length };
    from += data.length;
    return entry;
  });
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text, ...kept.map(({ data }) => data), ...made.map(({ data }) => data)]);
}

/** Of versions that are no longer run. A pack that is in use is written again after a month. */
function removeUnused(directory) {
  const before = Date.now() - unusedMs;
  for (const name of fs.readdirSync(directory)) {
    const file = `${directory}/${name}`;
    if (fs.statSync(file).mtimeMs < before) fs.rmSync(file, { force: true });
  }
}
