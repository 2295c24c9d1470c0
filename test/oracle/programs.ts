/** Programs that commands name and that not every place has. A command that names one runs where it is. */
const optional = [
  ...['git', 'python3', 'node', 'npm', 'perl', 'gcc', 'jq', 'bc', 'strace', 'ltrace', 'gdb', 'valgrind', 'file', 'ar'],
  ...[
    'objdump',
    'nm',
    'readelf',
    'size',
    'addr2line',
    'ldd',
    'zip',
    'unzip',
    'bzip2',
    'bunzip2',
    'bzcat',
    'xz',
    'unxz',
  ],
  ...[
    'xzcat',
    'lzma',
    'unlzma',
    'zstd',
    'zstdcat',
    'xxd',
    'hexdump',
    'strings',
    'column',
    'look',
    'rev',
    'patch',
    'ps',
  ],
  ...['pgrep', 'pkill', 'pidof', 'killall', 'pstree', 'top', 'free', 'uptime', 'vmstat', 'w', 'pmap', 'pwdx', 'sysctl'],
  ...[
    'watch',
    'lsof',
    'fuser',
    'script',
    'dos2unix',
    'apt-ftparchive',
    'apt-key',
    'debconf-show',
    'dpkg',
    'dpkg-query',
  ],
  ...[
    'apt',
    'apt-get',
    'apt-cache',
    'dpkg-deb',
    'apt-mark',
    'apt-config',
    'update-alternatives',
    'flock',
    'locale',
    'dash',
  ],
  ...['egrep', 'zgrep', 'zdiff', 'egrep', 'bash', 'iconv', 'dpkg-divert', 'dpkg-statoverride', 'dpkg-split'],
] as const;

const named = new RegExp(
  `(?:^|[\\s;|&({\`])(${[...optional].sort((a, b) => b.length - a.length).join('|')})(?=$|[\\s;|&)])`,
  'g',
);

export function programsIn(command: string): readonly string[] {
  return Array.from(command.matchAll(named), ([, name = '']) => name);
}

/** Prints the programs that are there, one a line. */
export const probe = `for p in ${optional.join(' ')}; do command -v "$p" >/dev/null && echo "$p"; done; true`;
