/**
 * Texts in which commands called `mark` stand at all kinds of places: behind comments, quotes, options, arrays, continuations. Each
 * `mark` has a number of its own, so that a log of those that ran says which a reader has to have seen.
 */
import { randomFrom } from '../audited/classes.ts';

type Pick = <T>(...from: readonly T[]) => T;

/** Random texts for a shell; a seed always gives equal texts. */
export function textsOf(seed: number, count: number): readonly string[] {
  const random = randomFrom(seed);
  const pick: Pick = (...from) => from[random(from.length)] as (typeof from)[number];
  return Array.from({ length: count }, () => new Writer(pick).text());
}

class Writer {
  readonly #pick: Pick;
  #next = 0;

  constructor(pick: Pick) {
    this.#pick = pick;
  }

  text(): string {
    const parts = Array.from({ length: 1 + this.#pick(0, 1, 2, 2, 3) }, () => this.#statement(2));
    return `m=mark\n${parts.reduce((before, part) => before + this.#between() + part)}${this.#pick('', '\n', ' #', ';', ' # x')}`;
  }

  #mark(): string {
    this.#next += 1;
    const name = this.#pick('mark', 'mark', 'mark', '"mark"', "ma'rk'", '\\mark', 'm""ark', 'ma\\\nrk', '$m', '${m}');
    return `${name} ${this.#next}`;
  }

  /** What may or may not end a command, and begin a comment. */
  #between(): string {
    const before = this.#pick('', '', ' ', '\t', '\\\n', ' \\\n', '\\ ', '\\\\');
    const comment = this.#pick('', '', '#', '# ', '#x', "#'", '#"', '#`', '#(', '#)', '#\\', '#$(', '##', '# \\');
    const separator = this.#pick(
      ';',
      '; ',
      '\n',
      ' && ',
      ' || ',
      ' & ',
      '\n\n',
      ' | ',
      '\n;',
      ' ; ',
      '\n\\\n',
      ';\\\n',
    );
    return `${before}${comment}${separator}`;
  }

  #statement(depth: number): string {
    const simple = (): string => this.#pick(this.#prefixed(), this.#wrapped(), this.#assigned(), this.#words());
    if (depth === 0) return simple();
    return this.#pick(simple, simple, simple, () => this.#compound(depth - 1))();
  }

  #prefixed(): string {
    return `${this.#pick('', '', 'a=1 ', 'a=x\\\n ', 'a="#" ', '>/dev/null ', '2>&1 ', '! ')}${this.#mark()}${this.#tail()}`;
  }

  /** Words, among them what looks like a comment. */
  #words(): string {
    const command = this.#mark();
    const word = (): string =>
      this.#pick(
        'a',
        'a#b',
        "'#'",
        '"# x"',
        '\\#',
        '\\ #',
        '$(true)#x',
        '`true`#x',
        '${a}#',
        '${a#b}',
        '${#a}',
        '$#',
        '$((1))#',
        "$'#\\''",
        '"$(true)#"',
        '{a,b}#',
        'a\\\n#b',
        '{#',
        '~#',
      );
    const inner = (): string =>
      this.#pick(
        `"$(${this.#mark()})"`,
        `\`${this.#mark()}\``,
        `$(${this.#mark()} # x\n)`,
        `"\${b:-$(${this.#mark()})}"`,
      );
    return `${command} ${word()} ${this.#pick(word, inner, () => '')()}${this.#pick('', ' ', ' #')}`;
  }

  #tail(): string {
    return this.#pick(
      '',
      '',
      ' # x',
      ' #',
      '#',
      " '#'",
      ' "a\nb"',
      " 'a\nb'",
      ' <<<x',
      ' <<< "#"',
      ' >/dev/null#',
      ' 2>/dev/null',
      ' $#',
      ' \\\n',
      ' <<E\n#\nE',
      " <<'E'\n$(x) '\nE",
      ' <<-E\n\tx\n\tE',
    );
  }

  #assigned(): string {
    const array = this.#pick(
      '()',
      '(x)',
      '(x y)',
      '("#")',
      '(#x\n)',
      '(x #y\n)',
      `($(${this.#mark()}))`,
      '([0]=x)',
      "('a b')",
    );
    const name = this.#pick('a', 'a', 'a[0]', 'b');
    const builtin = this.#pick('', '', '', 'declare ', 'export ', 'readonly ', 'typeset ', 'local ', 'declare -a ');
    const value = this.#pick(array, array, 'x', '"#"', "'#'", '$(true)', '`true`', '$((1))', '${a}', 'x#y', '');
    return `${builtin}${name}${this.#pick('=', '+=')}${value}${this.#pick('', '', '#', '#x', ' #x', '\\\n#', '\\\n')}`;
  }

  /** A program that runs another: its options in full, cut short, glued, with the value apart. */
  #wrapped(): string {
    const run = this.#mark();
    const option = (program: string, ...forms: readonly string[]): string =>
      `${program} ${this.#pick(...forms)} ${run}`;
    return this.#pick(
      () =>
        option(
          'timeout',
          '5',
          '-s KILL 5',
          '-sKILL 5',
          '--signal KILL 5',
          '--sig=KILL 5',
          '--k 1 5',
          '--kill-a=1 5',
          '--foreground 5',
          '--f 5',
          '-k1 5',
          '--pres 5',
          '-- 5',
        ),
      () => option('nice', '-n 1', '-n1', '--adj 1', '--adjustment=1', '-1', '--', ''),
      () => option('env', '', '-u A', '-uA', '--u A', '--unset=A', '--chdir /', '--c /', 'A=1', '-- A=b', '--de', '-v'),
      () => `env ${this.#pick('-S', '--s ', '--split-string=', '-S ', '-vS', '--sp=')}'${run.replaceAll("'", '')}'`,
      () =>
        `env ${this.#pick('-S', '--s=', '-u A -S ')}"${this.#pick('mark', 'm\\"\\"ark', '\\_mark', 'A=1 mark')}\\_${this.#next}${this.#pick('', ' #', '\\c x', ' \\" \\"')}"`,
      () => option('stdbuf', '-oL', '-o L', '--out L', '--output=L', '--i 0 --e 0', '--input 0'),
      () => option('setsid', '-w', '--wait', '--w', '--fork -w', '-- '),
      () => option('nohup', '', '--'),
      () => option('command', '', '-p', '--'),
      () =>
        option(
          'xargs',
          '-n1',
          '-n 1',
          '--max-args 1',
          '--max-a=1',
          '--n 1',
          '-r0',
          '--process-slot-var X',
          '-I{}',
          '--max-p 1',
        ),
      () => option('exec', '', '-a x', '-ax', '--', '-c'),
      () => option('time', '', '-p'),
      () => option('coproc', ''),
      () =>
        `${this.#pick('bash', 'dash', 'sh')} ${this.#pick('-c', '-ec', '-c --', '-o nounset -c', '-uc', '+e -c')} '${run.replaceAll("'", '"')}${this.#pick('', ' #', ' # x', '#', '; :')}'`,
      () => `eval ${this.#pick('', '-- ')}'${run.replaceAll("'", '"')}'${this.#pick('', " '# x'", ' \\;')}`,
      () => `trap '${run.replaceAll("'", '"')}' ${this.#pick('EXIT', '0')}`,
    )();
  }

  #compound(depth: number): string {
    const one = (): string => this.#statement(depth);
    const end = this.#pick('; ', '\n', ' #x\n', ';#x\n', ' \\\n; ');
    const hash = this.#pick('', '', '', '#x\n', ' # x\n', '# )\n', '#}\n', ' ');
    return this.#pick(
      () => `(${hash}${one()}${end})${this.#pick('', '', '#x', '# ;mark x', ' #')}`,
      () => `{ ${hash}${one()}${end}}${this.#pick('', '', ' #x', ' >/dev/null')}`,
      () => `if ${one()}${end}then ${hash}${one()}${end}fi`,
      () => `for i in a b${end}do ${hash}${one()}${end}done`,
      () => `case a in ${hash}${this.#pick('a)', '(a)', 'b|a)', '*)#x\n', '#x\na)')} ${one()}${end};;${hash} esac`,
      () => `echo "$(${hash}${one()}${end})"`,
      () => `: $(${hash}${one()}${end})#x`,
      () => `: \`${one().replaceAll(/[`\\]/g, '')}\`#x`,
      () => `[[ a${this.#pick(' ', '#')} ]] && ${one()}`,
      () => `((1))${this.#pick('', '#x\n', ' # x\n')} && ${one()}`,
      () => `cat <<E${this.#pick('', ' #x', '#')}\n$(${one()})\nE${this.#pick('', '#')}\n`,
      () => `: <(${one()})`,
    )();
  }
}
