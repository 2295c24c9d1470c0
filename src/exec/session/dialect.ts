/** What differs between the shells of sessions, as shell text. What may be said in it: see `script.ts`. */
export interface Dialect {
  readonly kind: 'bash' | 'sh';
  readonly begin: string;
  /** After the snapshot was read. */
  readonly takeUp: string;
  /** What would hinder all that. */
  readonly takeUpLast: string;
  /** Takes a function called `command` away; says so on descriptor 9. Ends the shell where it cannot. */
  readonly intact: string;
  /** Options of the `read` that waits for requests. */
  readonly reading: string;
  /** Comes before each text, and is evaluated with it. */
  readonly before: string;
  /** Looks at what cannot be seen from within `dump`. */
  readonly lookFirst: string;
  /** Prints the state as commands that make it; where its directory is gone, `_cz_w` ends in `c`. */
  readonly dump: string;
  /** Answers the request in `_cz_L` on descriptor 8. */
  readonly look: string;
}

export const note = `command printf '%s\\n' 'caisson: the function called command is not kept: sessions need that name' >&9`;

/** Also where the caller's PATH leads nowhere. */
export const renamed = (file: string): string =>
  `{ command mv -f "${file}.new" "${file}" || ( PATH=/usr/bin:/bin; command mv -f "${file}.new" "${file}" ); } 2>/dev/null`;

/** Appends a word to the answer, as a netstring. */
export const put = (word: string): string => `_cz_k=${word}; _cz_s=$_cz_s\${#_cz_k}:$_cz_k,`;

/** `definitions`: tells what `_cz_x` is defined as. */
export const lookWith = (definitions: string): string => `command export LC_ALL=C; _cz_s=
command eval "\\command set -- \${_cz_L#S }"; _cz_L=$2; command shift 2
_cz_q=$(\\command pwd -P && \\command printf .); ${put('${_cz_q%?.}')}
for _cz_x in "$@"; do
${definitions}
! command alias "$_cz_x" || { ${put('a')}; ${put('$_cz_x')}; ${put('$(\\command alias "$_cz_x")')}; }
done >/dev/null
command printf '%s%s:%s,' "$_cz_L" "\${#_cz_s}" "$_cz_s" >&8`;
