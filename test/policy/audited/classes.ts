/**
 * Classes of forms that a break-in found to pass, each as a generator of variants. What they run is refused by its form and
 * harmless in fact: `mkfs` of a device that is not there.
 */

/** Whole numbers below a bound, the same in every run. */
export type Random = (below: number) => number;

/** mulberry32 */
export function randomFrom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Pick = <T>(...from: readonly T[]) => T;
export type Generate = (random: Random) => string;

const payload = 'mkfs.ext4 /dev/nothing';

const words = (pick: Pick): string =>
  pick(
    payload,
    'mkfs.ext4 -q /dev/nothing',
    'mkfs.ext4 -L a /dev/nothing',
    '"mkfs.ext4" /dev/nothing',
    'mkfs.ext4  /dev/nothing -F',
  );
const text = (pick: Pick): string =>
  pick('', 'true; ', 'true && ', ': ; ', 'cd . && ') + words(pick) + pick('', '; true', ' || true', ' 2>&1');
const file = (pick: Pick): string => pick('a', 'b', 'x.sh', 'run', 'd-1', 'a_b') + pick('', '1', '.sh', '.tmp');
const shell = (pick: Pick): string =>
  pick('sh', 'bash', 'dash', '/bin/sh', '/bin/bash', 'bash -e', 'sh -u', 'env sh', 'nice sh', 'command sh');
const before = (pick: Pick): string => pick('', '', 'true; ', 'cd . && ', 'x=1; ', ': && ', 'set +e; ');
const after = (pick: Pick): string => pick('', '; true', ' || :', ' && echo done', '; wait');
const quoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;
const says = (pick: Pick, value: string): string =>
  pick(
    `echo ${quoted(value)}`,
    `printf '%s\\n' ${quoted(value)}`,
    `printf ${quoted(`${value.replaceAll('%', '%%')}\\n`)}`,
  );
const python = (pick: Pick): string =>
  pick(
    `import os; os.system("${payload}")`,
    `import subprocess; subprocess.run("${payload}", shell=True)`,
    `__import__("os").system("${payload}")`,
    `import os\nos.system("${payload}")`,
    `import os; os.popen("${payload}").read()`,
  );

const of =
  (make: (pick: Pick) => string): Generate =>
  (random) => {
    const pick: Pick = (...from) => from[random(from.length)] as (typeof from)[number];
    return before(pick) + make(pick) + after(pick);
  };

export const classes: Readonly<Record<string, Generate>> = {
  'plain wrappers': of((pick) => {
    const flags = pick('-R', '-R -3', '--addr-no-randomize', '-v -R', '-R -Z', '-L -R', '');
    const architecture = pick('', '', 'x86_64', 'linux64');
    const outer = pick(
      '',
      'nice ',
      'env ',
      'nohup ',
      'timeout 9 ',
      'command ',
      'env A=1 ',
      'stdbuf -o0 ',
      'setsid -w ',
    );
    return `${outer}setarch ${architecture} ${flags} ${pick('', 'nice ', 'env ', 'timeout 8 ')}${words(pick)}`;
  }),
  'subscripts that the shell evaluates': of((pick) => {
    const run = pick(`$(${text(pick)})`, `\`${words(pick)}\``);
    const name = pick('x', 'a', 'list', 'y_1');
    const assigned = `${name}[${run}]=${pick('1', 'v', '')}`;
    return pick(
      `declare '${assigned}'`,
      `typeset '${assigned}'`,
      `declare -a '${name}=(${run})'`,
      `declare -A ${name}; declare -A '${assigned}'`,
      `declare -i '${name}=z[${run}]'`,
      `f() { local '${assigned}'; }; f`,
      `f() { local -a '${name}=(${run})'; }; f`,
      `${name}=1; unset '${name}[${run}]'`,
      `declare -g '${assigned}'`,
    );
  }),
  'written, then moved, copied or linked': of((pick) => {
    const [one, other] = [`1${file(pick)}`, `2${file(pick)}`];
    const write = pick(
      `${says(pick, text(pick))} > ${one}`,
      `${says(pick, text(pick))} >> ${one}`,
      `${says(pick, text(pick))} | cat > ${one}`,
      `${says(pick, text(pick))} | tee ${one} >/dev/null`,
      `cat > ${one} <<< ${quoted(text(pick))}`,
    );
    const move = pick(
      `mv ${one} ${other}`,
      `cp ${one} ${other}`,
      `ln -s ${one} ${other}`,
      `ln ${one} ${other}`,
      `mv -f ./${one} ${other}`,
      `cp -p ${one} ./${other}`,
      `install -m 600 ${one} ${other}`,
      `mkdir d; mv ${one} d; mv d/${one} ${other}`,
    );
    const run = pick(
      `${shell(pick)} ${other}`,
      `. ./${other}`,
      `${shell(pick)} ./${other}`,
      `${shell(pick)} < ${other}`,
      `source ./${other}`,
    );
    return `${write}${pick('; ', ' && ')}${move}${pick('; ', ' && ')}${run}`;
  }),
  'fed to what becomes a shell': of((pick) => {
    const name = pick('f', 'go', 'run_it', 'q');
    const said = says(pick, text(pick));
    return pick(
      `${said} | script -q /dev/null`,
      `${said} | script ${pick('-q', '-aq', '-eq')} ${file(pick)}`,
      `${name}() { ${shell(pick)}; }; ${said} | ${name}`,
      `${name}() { ${shell(pick)} -; }; ${said} | ${name}`,
      `function ${name} { ${shell(pick)}; }; ${said} | ${name}`,
      `cp $(command -v ${pick('sh', 'bash', 'dash')}) ${name}; ${said} | ./${name}`,
      `cp /bin/${pick('sh', 'bash', 'dash')} ${name}; ${said} | ./${name}`,
      `ln -s /bin/${pick('sh', 'bash', 'dash')} ${name}; ./${name} -c ${quoted(text(pick))}`,
    );
  }),
  'options that run a program': of((pick) => {
    const name = pick('X', 'Y', 'DIR', 'V_1');
    return pick(
      `make '${name}:=$(shell ${words(pick)})' ${pick('-n', '-p', '-s')} -f /dev/null`,
      `make '${name}!=${words(pick)}' ${pick('-n', '-p', '-s')} -f /dev/null`,
      `make -f /dev/null '${name}::=$(shell ${words(pick)})'`,
      `sftp -D ${quoted(text(pick))} ${pick('h', 'host', 'user@h')}`,
      `strace -o ${quoted(pick('|', '!') + words(pick))} true`,
      `strace -f -o${quoted(`|${words(pick)}`)} true`,
      `ssh -F <(echo 'ProxyCommand ${payload}') ${pick('h', 'host')} true`,
      `ssh -F <(printf 'Host *\\n  ProxyCommand ${payload}\\n') ${pick('h', 'host')}`,
    );
  }),
  'files that a program reads first': of((pick) =>
    pick(
      `${pick('bash', '/bin/bash', 'env bash')} --init-file <(${says(pick, text(pick))}) -i </dev/null`,
      `${pick('bash', '/bin/bash', 'env bash')} --rcfile <(${says(pick, text(pick))}) -i </dev/null`,
      `${says(pick, text(pick))} > rc; bash ${pick('--rcfile', '--init-file')} ${pick('rc', './rc')} -i </dev/null`,
      `python3 -m ${pick('trace -t', 'cProfile', 'profile', 'pdb -c c')} /dev/stdin <<< ${quoted(python(pick))}`,
      `python3 -m code <<< ${quoted(python(pick))}`,
      `${says(pick, python(pick))} | python3 -m ${pick('cProfile', 'profile')} /dev/stdin`,
      `${says(pick, python(pick))} | python3 -m code`,
      `vim ${pick('-es', '-Es')} -u <(echo ':!${payload}')`,
    ),
  ),
  'programs under another name': of((pick) => {
    const name = pick('x', 'tool', 'a1', 'm');
    const at = '/bin/mkfs.ext4';
    return pick(
      `cp $(command -v mkfs.ext4) ${name}; ./${name} /dev/nothing`,
      `ln -s $(command -v mkfs.ext4) ${name}${pick('; ', ' && ')}./${name} ${pick('', '-q ')}/dev/nothing`,
      `cp "$(which mkfs.ext4)" ${name} && ./${name} /dev/nothing`,
      `cp -p \`command -v mkfs.ext4\` ./${name}; ./${name} ${pick('', '-F ')}/dev/nothing`,
      `ln -sf $(which mkfs.ext4) ${name}; PATH=$PATH; ./${name} /dev/nothing`,
      `alias ${name}=${at}; ln -s $(command -v mkfs.ext4) ./${name}; ./${name} -q /dev/nothing`,
    );
  }),
};
