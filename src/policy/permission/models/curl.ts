/**
 * curl, by curl(1): transfers by HTTP that end on stdout. Absent: what writes a file (`-o`, `-O`, `-D`, `-c`, `--trace`), reads
 * options (`-K`), sends a file (`-T`, `-F`), or speaks to a socket or a proxy of its own.
 */
import type { Model } from './model.ts';

/** Hosts whose first label makes curl guess another protocol where the URL names none. */
const guessed = /^(?:ftp|dict|ldap|imap|smtp|pop3|tftp|gopher|telnet|rtsp|smb)/i;
const url = /^(?:https?:\/\/)?(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d+)?(?:[/?#][^]*)?$/i;

const kinds = {
  url: (text: string): boolean => url.test(text) && !guessed.test(text),
  /** `@file` stands for the content of a file. */
  data: (text: string): boolean => !text.startsWith('@'),
  /** `@file`, `name@file`; behind the first `=` every character stands for itself. */
  encoded: (text: string): boolean => !text.includes('@') || /^[^@=]*=/.test(text),
  /** `%output{file}` writes one. */
  format: (text: string): boolean => !text.startsWith('@') && !/%output/i.test(text),
  nowhere: (text: string): boolean => text === '/dev/null' || text === '-',
};

export const curl: Model = {
  style: 'separate',
  operands: 'url*',
  kinds,
  options:
    '-f -g -i -I -k -L -s -S -v -G -4 -6 -# -N -A:data -d:data -e:data -H:data -m:measure -u:data -X:word ' +
    '-w:format -r:word -y:number -Y:number -o:nowhere -D:nowhere -V -0 ' +
    '--compressed --connect-timeout:measure --data:data --data-ascii:data --data-binary:data --data-raw:text ' +
    '--data-urlencode:encoded --json:data ' +
    '--fail --fail-early --fail-with-body --get --globoff --head --header:data --include --insecure --ipv4 ' +
    '--ipv6 --location --max-time:measure ' +
    '--max-redirs:measure --max-filesize:measure --no-buffer --no-progress-meter --progress-bar --range:word ' +
    '--referer:data --request:word ' +
    '--retry:number --retry-delay:number --retry-max-time:number --retry-connrefused --retry-all-errors ' +
    '--show-error --silent --speed-limit:number ' +
    '--speed-time:number --url:url --user:data --user-agent:data --verbose --write-out:format --output:nowhere ' +
    '--dump-header:nowhere ' +
    '--http1.0 --http1.1 --http2 --http2-prior-knowledge --tlsv1.2 --tlsv1.3 --limit-rate:measure --path-as-is ' +
    '--tcp-nodelay --version',
};
