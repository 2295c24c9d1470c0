/** Which of their arguments programs write to. */
import { operandsOf } from './options.ts';
import { sedWritesOf } from './sed.ts';
import type { Word } from './types.ts';

/** `link`: another name of it, under which it can be written. */
export type How = 'redirect' | 'tee' | 'copy' | 'edit' | 'option' | 'link';

/** Files that a program writes, by its arguments. */
export type Writer = (args: readonly Word[]) => readonly { readonly target: Word; readonly how: How }[];

const all =
  (how: How): Writer =>
  (args) =>
    operandsOf(args).map((target) => ({ target, how }));

/** The last operand, or what `-t` names; with `-T`-less copies into a directory the name below it does not matter. */
const lastOperand: Writer = (args) => {
  const into = valuesOf(args, /^(?:-t|--target-directory)$/, /^(?:-t|--target-directory=)(?=.)/);
  const operands = operandsOf(args);
  const last = operands.at(-1);
  if (args.some(({ text }) => /^-[a-zA-Z]*d$|^--directory$/.test(text)) && operands.length === 1)
    return all('copy')(args);
  if (into.length > 0) return into.map((target) => ({ target, how: 'copy' }));
  if (last === undefined || operands.length < 2) return [];
  // A name with an ending is a file's; anything else may be a directory in which the names stay.
  const isFile = operands.length === 2 && /[^/.]\.\w+$/.test(last.text);
  const below = (isFile ? [] : operands.slice(0, -1)).map(({ text }) => ({
    ...last,
    text: `${last.text}/${text.slice(text.lastIndexOf('/') + 1)}`,
  }));
  return [last, ...below].map((target) => ({ target, how: 'copy' }));
};

const optionValue =
  (flag: RegExp, glued: RegExp, how: How = 'option'): Writer =>
  (args) =>
    valuesOf(args, flag, glued).map((target) => ({ target, how }));

export function valuesOf(args: readonly Word[], flag: RegExp, glued: RegExp): readonly Word[] {
  return args.flatMap((arg, at) => {
    const next = args[at + 1];
    if (flag.test(arg.text)) return next === undefined ? [] : [next];
    return glued.test(arg.text) ? [{ ...arg, text: arg.text.replace(glued, '') }] : [];
  });
}

const sed: Writer = (args) => {
  const inPlace = args.some(
    ({ text }) => /^-[nErsuz]*i/.test(text) || text.startsWith('--in-place') || /^--i[n-]/.test(text),
  );
  const [first] = args;
  const scripts =
    first === undefined
      ? []
      : sedWritesOf(args.map(({ text }) => text)).map((file) => ({
          target: { ...first, text: file },
          how: 'redirect' as const,
        }));
  return inPlace ? [...all('edit')(args), ...scripts] : scripts;
};

const output = optionValue(/^(?:-o|--output)$/, /^(?:-o|--output=)(?=.)/);
const operandAt =
  (at: number): Writer =>
  (args) =>
    operandsOf(args)
      .slice(at)
      .slice(0, 1)
      .map((target) => ({ target, how: 'option' }));
/** The operand at this place, from 0 on, and no other. */
const operand =
  (at: number): Writer =>
  (args) =>
    operandsOf(args).length > at ? operandAt(at)(args) : [];

/** Files that a fetcher names by the last part of an address. */
function named(args: readonly Word[]): ReturnType<Writer> {
  return operandsOf(args).flatMap((target) =>
    /\/\/|^[\w.-]+\/./.test(target.text)
      ? [{ target: { ...target, text: target.text.replace(/[?#].*/, '').replace(/.*\//, './') }, how: 'copy' as const }]
      : [],
  );
}

/** Into the directory of its option, or the current one. */
function extracted(args: readonly Word[]): ReturnType<Writer> {
  const into = optionValue(/^(?:-C|--directory)$/, /^(?:-C|--directory=)(?=.)/, 'copy')(args);
  const [first] = args;
  return into.length > 0 || first === undefined ? into : [{ target: { ...first, text: '.' }, how: 'copy' }];
}

/** Programs that put a packed file in the place of one. */
function packed(args: readonly Word[]): ReturnType<Writer> {
  return args.some(({ text }) =>
    /^(?:-[a-zA-Z\d]*[cklt]|--(?:stdout|to-stdout|keep|list|test|help|version))/.test(text),
  )
    ? []
    : all('edit')(args);
}

/** `zip -m`: what goes into the archive is deleted. */
export const takesAway = (args: readonly { readonly text: string }[]): boolean =>
  args.some(({ text }) => /^(?:-[a-zA-Z]*m[a-zA-Z]*|--move)$/.test(text));

/** Files that dd and programs with its options write: `of=FILE`, and `wipe=FILE` of dc3dd. */
function outputs(args: readonly Word[]): ReturnType<Writer> {
  return args.flatMap((arg) =>
    /^(?:of|wipe)=/.test(arg.text) ? [{ target: { ...arg, text: arg.text.replace(/^\w+=/, '') }, how: 'option' }] : [],
  );
}

/** Writes the files it is given only with one of these. */
function inPlace(flag: RegExp): Writer {
  return (args) => (args.some(({ text }) => flag.test(text)) ? all('edit')(args) : []);
}

/** `vim -c 'w x'` */
function edited(args: readonly Word[]): ReturnType<Writer> {
  const named = args.flatMap((arg) =>
    Array.from(arg.text.matchAll(/\b(?:w|write|sav|saveas)!?\s+([^\s|!]+)/g), ([, text = '']) => ({
      target: { ...arg, text },
      how: 'option' as const,
    })),
  );
  return [...inPlace(/^(?:-c|-S|\+.+)$/)(args), ...named];
}

export const writers: Readonly<Record<string, Writer>> = {
  tee: all('tee'),
  cp: lastOperand,
  mv: (args) => [
    ...lastOperand(args),
    ...operandsOf(args)
      .slice(0, -1)
      .map((target) => ({ target, how: 'edit' as const })),
  ],
  install: lastOperand,
  ln: (args) => [
    ...lastOperand(args),
    ...operandsOf(args)
      .slice(0, -1)
      .map((target) => ({ target, how: 'link' as const })),
  ],
  rsync: lastOperand,
  scp: lastOperand,
  gcp: lastOperand,
  sed,
  gsed: sed,
  truncate: all('edit'),
  touch: all('edit'),
  ed: all('edit'),
  ex: all('edit'),
  patch: all('edit'),
  rm: all('edit'),
  unlink: all('edit'),
  perl: (args) => (args.some(({ text }) => /^-[a-zA-Z0]*i/.test(text)) ? all('edit')(args) : []),
  ruby: (args) => (args.some(({ text }) => /^-[a-z]*i/.test(text)) ? all('edit')(args) : []),
  sponge: all('edit'),
  ddrescue: lastOperand,
  'qemu-img': lastOperand,
  bmaptool: lastOperand,
  gpg: optionValue(/^(?:-o|--output)$/, /^(?:-o|--output=)(?=.)/),
  openssl: optionValue(/^-(?:out|keyout)$/, /^$(?=.)/),
  'partclone.ext4': optionValue(/^(?:-o|-O|--output)$/, /^--output=/),
  'partclone.restore': optionValue(/^(?:-o|-O|--output)$/, /^--output=/),
  yq: inPlace(/^(?:-[a-zA-Z]*i|--inplace)$/),
  crudini: inPlace(/^--(?:set|del|merge)$/),
  vim: edited,
  vi: edited,
  nvim: edited,
  sudoedit: all('edit'),
  sudo: (args) => (/^(?:-[a-zA-Z]*e|--edit)$/.test(args[0]?.text ?? '') ? all('edit')(args) : []),
  dcfldd: outputs,
  dc3dd: outputs,
  dd: outputs,
  pv: optionValue(/^(?:-o|--output)$/, /^(?:-o|--output=)(?=.)/),
  uniq: operand(1),
  xxd: operand(1),
  objcopy: lastOperand,
  logsave: operand(0),
  split: (args) => (operandsOf(args).length > 1 ? operandAt(-1)(args) : []),
  sqlite3: operand(0),
  zip: (args) => [
    ...operand(0)(args),
    ...(takesAway(args)
      ? operandsOf(args)
          .slice(1)
          .map((target) => ({ target, how: 'edit' as const }))
      : []),
  ],
  convert: operandAt(-1),
  magick: operandAt(-1),
  ffmpeg: operandAt(-1),
  gzip: packed,
  gunzip: packed,
  pigz: packed,
  bzip2: packed,
  bunzip2: packed,
  pbzip2: packed,
  xz: packed,
  unxz: packed,
  lzma: packed,
  compress: packed,
  fallocate: (args) =>
    args.some(({ text }) => /^(?:-[a-z]*[pcdizw]|--(?:punch|collapse|dig|insert|zero|write))/.test(text))
      ? operandsOf(args)
          .slice(-1)
          .map((target) => ({ target, how: 'edit' as const }))
      : [],
  '7z': operand(1),
  '7za': operand(1),
  csplit: optionValue(/^(?:-f|--prefix)$/, /^(?:-f|--prefix=)(?=.)/),
  tcpdump: optionValue(/^-w$/, /^-w(?=.)/),
  iconv: output,
  shuf: output,
  pandoc: output,
  xsltproc: output,
  gcc: output,
  'g++': output,
  cc: output,
  'c++': output,
  clang: output,
  'clang++': output,
  ld: output,
  as: output,
  strace: output,
  ltrace: output,
  time: output,
  base64: output,
  aria2c: optionValue(/^(?:-o|--out)$/, /^(?:-o|--out=)(?=.)/),
  axel: output,
  script: operand(0),
  sort: optionValue(/^(?:-[bcCdfghiMmnrRsuVz]*o|--output)$/, /^(?:-[bcCdfghiMmnrRsuVz]*o|--output=)(?=.)/),
  curl: (args) => [
    ...optionValue(
      /^(?:-[a-zA-Z#]*[oDc]|--output|--dump-header|--cookie-jar|--trace(?:-ascii)?|--stderr|--etag-save|--hsts|--alt-svc)$/,
      /^(?:-[fgkLsSv]*[oDc]|--(?:output|dump-header|cookie-jar|trace|stderr)=)(?=.)/,
    )(args),
    ...(args.some(({ text }) => /^-[a-zA-Z#]*O|^--remote-name/.test(text)) ? named(args) : []),
  ],
  wget: (args) => [
    ...optionValue(
      /^(?:-[a-zA-Z]*[OPao]|--output-document|--directory-prefix|--output-file|--append-output|--save-cookies)$/,
      /^(?:-[cnqv]*[OP]|--(?:output-document|directory-prefix|output-file|append-output|save-cookies)=)(?=.)/,
    )(args),
    ...(args.some(({ text }) => /^-[a-zA-Z]*[OP]|^--(?:output-d|directory-p)/.test(text)) ? [] : named(args)),
  ],
  git: (args) =>
    args.some(({ text }) => /^(?:diff|log|show|format-patch|archive|bundle)$/.test(text))
      ? optionValue(/^(?:--output|-o)$/, /^(?:--output=|-o(?=[^n]))(?=.)/)(args)
      : [],
  tar: (args) =>
    args.some(({ text }, at) =>
      (at === 0 ? /^-?[a-zA-Z]*x|^--extract|^--get/ : /^-[a-zA-Z]*x|^--extract|^--get/).test(text),
    )
      ? extracted(args)
      : optionValue(/^(?:-?[a-zA-Z]*f|--file)$/, /^--file=/)(args),
  unzip: optionValue(/^-d$/, /^-d(?=.)/, 'copy'),
  gawk: awk,
  awk,
  mawk: awk,
  nawk: awk,
  find: optionValue(/^-f(?:printf|print|print0|ls)$/, /^$(?=.)/),
  mkdir: all('edit'),
};

function awk(args: readonly Word[]): readonly { readonly target: Word; readonly how: How }[] {
  const edited = args.findIndex(({ text }, at) => text === 'inplace' && args[at - 1]?.text === '-i');
  if (edited >= 0) return all('edit')(args.slice(edited + 2));
  return args.flatMap((arg) =>
    Array.from(arg.text.matchAll(/>\s*"([^"]+)"/g), (match) => ({
      target: { ...arg, text: match[1] ?? '' },
      how: 'redirect' as const,
    })),
  );
}
