/** Forms that spell the words of a command otherwise: expansions, patterns, names with another meaning, syntax. */
import { quoted, says, type Form, type Generate } from './form.ts';

const arithmetic: Generate = ({ pick, run }) => {
  const name = pick('a', 'x', 'n_1');
  const inner = pick(`$(${run})`, `\`${run}\``);
  const late = quoted(`${name}[${inner}]`);
  return pick(
    `echo $((${inner} + 1))`,
    `((${name} = ${inner} 1))`,
    `x=${late}; echo $((x))`,
    `x=${late}; ((x))`,
    `x=${late}; let x`,
    `let ${late}`,
    `declare -i ${name}; ${name}=${late}`,
    `[[ ${late} -eq 0 ]]`,
    `test -v ${late}`,
    `[ -v ${late} ]`,
    `x=${late}; [[ x -gt 0 ]]`,
    `printf -v ${late} x`,
    `read -r ${late} <<< x`,
    `declare -A m; x=${late}; for ((i = x; i < 1; i++)); do :; done`,
    `: $[${inner}]`,
    `a=(1 2); echo "\${a[${inner}]}"`,
    `s=abc; echo "\${s:${inner}:1}"`,
    `x=${late}; s=abc; echo "\${s:x:1}"`,
    `${name}=1; unset ${late}`,
    `for ((i = $(${run}; echo 0); i < 1; i++)); do :; done`,
    `case $((${inner})) in *) ;; esac`,
  );
};

const parameters: Generate = ({ pick, run, shell }) => {
  const [name = '', ...rest] = run.split(' ');
  const args = rest.join(' ');
  const [head, tail] = [name.slice(0, 3), name.slice(3)];
  return pick(
    `x=${quoted(run)}; $x`,
    `x=${head}; y=${tail}; $x$y ${args}`,
    `x=${name}; "$x" ${args}`,
    `\${x:-${name}} ${args}`,
    `\${x:=${name}} ${args}`,
    `: \${x:=${name}}; $x ${args}`,
    `x=_${name}; \${x#_} ${args}`,
    `x=${name}_; \${x%_} ${args}`,
    `x=${name.replace('.', '_')}; \${x/_/.} ${args}`,
    `x=${name.toUpperCase()}; \${x,,} ${args}`,
    `x=a${name}; \${x:1} ${args}`,
    `set -- ${run}; "$@"`,
    `set -- ${run}; $*`,
    `x=(${run}); "\${x[@]}"`,
    `x=y; y=${name}; \${!x} ${args}`,
    `echo "\${x:-$(${run})}"`,
    `echo "\${x+$(${run})}" "\${PATH+$(${run})}"`,
    `x='$(${run})'; echo "\${x@P}"`,
    `declare -n r=x; x=${name}; $r ${args}`,
    `x=${name}; export x; ${pick('sh', 'bash')} -c '$x ${args}'`,
    `x=${quoted(run)}; echo "$x" | ${shell()}`,
    `x=r${quoted(run)}; printf '%s\\n' "\${x:1}" | ${shell()}`,
    `printf -v x '%s' ${name}; $x ${args}`,
  );
};

const braces: Generate = ({ pick, run }) => {
  const words = run.split(' ');
  const [name = '', ...rest] = words;
  const args = rest.join(' ');
  return pick(
    `{${words.join(',')}}`,
    `{${name},${rest.join(',')}}`,
    `${name.slice(0, 2)}{${name.slice(2)},} ${args}`,
    `mk{fs.ext4,nod}\${x:+} ${args}`,
    `{,${name}} ${args}`,
    `mkf{s,}.ext4 ${args}`,
    `mkfs.ext{4..4} ${args}`,
    `${name} ${rest.slice(0, -1).join(' ')} ${(rest.at(-1) ?? '').replace('nothing', '{nothing,none}')}`,
    `{${name},-F} ${args}`,
    `{mkfs.ext4,{-q,-F}} ${rest.at(-1) ?? ''}`,
    `mk{f,}s.ext4 ${args}`,
    `eval {${words.join(',')}}`,
    `command {${words.join(',')}}`,
    `env {${words.join(',')}}`,
    `{"${name}",${rest.join(',')}}`,
    `{${name},'${rest[0] ?? ''}'} ${rest.slice(1).join(' ')}`,
  );
};

const patterns: Generate = ({ pick, run, file }) => {
  const [name = '', ...rest] = run.split(' ');
  const args = rest.join(' ');
  const path = '"${PATH%%:*}"';
  const one = file('1');
  return pick(
    `${path}/${name} ${args}`,
    `${path}/mkfs.ext? ${args}`,
    `${path}/mk*.ext4 ${args}`,
    `${path}/m[k]fs.ext4 ${args}`,
    `${path}/[l-n]kfs.ext4 ${args}`,
    `${path}/../bin/./${name} ${args}`,
    `$(command -v ${name}) ${args}`,
    `$(type -P ${name}) ${args}`,
    `\`which ${name}\` ${args}`,
    `cd ${path}; ./${name} ${args}`,
    `cd ${path} && ./mk*4 ${args}`,
    `cp ${path}/${name} ${one}; ./${one} ${args}`,
    `cd ${path}; cp ${name} "$OLDPWD/${one}"; cd "$OLDPWD"; ./${one} ${args}`,
    `ln -s ${path}/${name} ${one}; ./${one} ${args}`,
    `d=${path}; $d/${name} ${args}`,
    `${path}//${name} ${args}`,
    `m${pick('""', "''")}kfs.ext4 ${args}`,
    `echo ${quoted(run)} > ${one}; sh ./${one.slice(0, 1)}*`,
    `sed 's/^_//' <<< ${quoted(`_${run}`)} > ${one}; sh ./?${one.slice(1)}`,
    `shopt -s extglob\n${path}/+(mkfs.ext4) ${args}`,
    `for f in ${path}/mkfs.ext4; do "$f" ${args}; done`,
    `for f in ${path}/mkfs.*; do $f ${args}; done`,
  );
};

const separators: Generate = ({ pick, run }) => {
  const [name = '', ...rest] = run.split(' ');
  const args = rest.join(' ');
  const joined = (by: string): string => run.replaceAll(' ', by);
  return pick(
    joined('${IFS}'),
    joined('$IFS'),
    joined('$IFS$9'),
    joined("$'\\t'").replaceAll("$'\\t'", '\t'),
    `IFS=,; x=${joined(',')}; $x`,
    `IFS=:; x=${joined(':')}; $x`,
    `IFS=_; x=${quoted(joined('_'))}; $x`,
    `x=${joined('%')}; \${x//%/ }`,
    `IFS=, read -ra w <<< ${joined(',')}; "\${w[@]}"`,
    `IFS=+; set -- ${quoted(joined('+'))}; $1`,
    `IFS=; ${run}`,
    `x=${quoted(joined(','))}; IFS=,; eval $x`,
    `${name}\\\n ${args}`,
    joined('\\\n '),
    `eval ${joined('$IFS')}`,
    `x="${joined('\t')}"; $x`,
  );
};

const meanings: Generate = (form) => {
  const { pick, run, text } = form;
  const [name = '', ...rest] = run.split(' ');
  const args = rest.join(' ');
  const other = pick('ll', 'gs', 'zz', 'tidy');
  const path = '"${PATH%%:*}"';
  return pick(
    `shopt -s expand_aliases\nalias ${other}=${quoted(run)}\n${other}`,
    `shopt -s expand_aliases\nalias ${other}=${name}\n${other} ${args}`,
    `shopt -s expand_aliases\nalias ${other}='${name} '\n${other} ${args}`,
    `shopt -s expand_aliases\nalias ls=${quoted(text())}\nls`,
    `hash -p ${path}/${name} ${other}; ${other} ${args}`,
    `BASH_CMDS[${other}]=$(command -v ${name}); ${other} ${args}`,
    `shopt -s expand_aliases\nBASH_ALIASES[${other}]=${quoted(run)}\neval ${other}`,
    `mkdir b; ln -s "$(command -v ${name})" b/ls; PATH=$PWD/b:$PATH; ls ${args}`,
    `mkdir b; cp "$(command -v ${name})" b/ls; export PATH=$PWD/b:$PATH; ls ${args}`,
    `mkdir b; ${says(form, run)} > b/ls; chmod +x b/ls; export PATH=$PWD/b:$PATH; ls`,
    `mkdir b; ${says(form, run)} > b/tidy; chmod +x b/tidy; PATH=b:$PATH tidy`,
    `mkdir b; printf '#!/bin/sh\\n${run}\\n' | sed '' > b/${other}; chmod +x b/${other}; PATH=$PATH:$PWD/b; ${other}`,
    `ln -s ${path}/${name} ${other}; ./${other} ${args}`,
    `mkdir b; install ${path}/${name} b/${other}; PATH=b:$PATH; ${other} ${args}`,
    `command_not_found_handle() { ${text()}; }; ${other}x`,
    `${other}() { ${name} "$@"; }; ${other} ${args}`,
    `printf '#!/bin/sh\\n%s\\n' ${quoted(run)} > ${other}; chmod +x ${other}; PATH=.:$PATH; ${other}`,
  );
};

const functions: Generate = (form) => {
  const { pick, run, text, shell } = form;
  const [name = '', ...rest] = run.split(' ');
  const f = pick('f', 'go', 'build_it', 'ls');
  return pick(
    `${f}() { ${text()}; }; ${f}`,
    `function ${f} { ${text()}; }; ${f}`,
    `${f}() ( ${text()} ); ${f}`,
    `${f}() { "$@"; }; ${f} ${run}`,
    `${f}() { ${name} "$1"; }; ${f} ${rest.at(-1) ?? ''}`,
    `${f}() { $1 ${rest.join(' ')}; }; ${f} ${name}`,
    `trap ${quoted(text())} ${pick('EXIT', '0', 'DEBUG')}`,
    `trap ${quoted(text())} ERR; false`,
    `trap ${quoted(text())} USR1; kill -USR1 $$`,
    `${f}() { eval "$1"; }; ${f} ${quoted(text())}`,
    `${f}() { ${says(form, text())}; }; ${f} | ${shell()}`,
    `${f}() { ${shell()}; }; ${says(form, text())} | ${f}`,
    `${f}() { cat; }; ${says(form, text())} | ${f} | ${shell()}`,
    `${f}() { trap ${quoted(text())} RETURN; }; ${f}`,
    `${f}() { ${text()}; }; export -f ${f}; bash -c ${f}`,
    `${f}() { ${text()}; }; trap ${f} EXIT`,
    `${f}() { local x=${quoted(run)}; $x; }; ${f}`,
    `${f}() { shift; "$@"; }; ${f} a ${run}`,
    `env 'BASH_FUNC_${f}%%=() { ${run}; }' bash -c ${f}`,
  );
};

const syntax: Generate = ({ pick, run, text, shell }) => {
  const simple = pick(text(), run);
  return pick(
    `if true; then ${simple}; fi`,
    `for i in 1; do ${simple}; done`,
    `while ${simple}; break; do :; done`,
    `until ${simple}; do break; done`,
    `case x in x) ${simple};; esac`,
    `{ ${simple}; }`,
    `( ${simple} )`,
    `! ${run}`,
    `${run} &\nwait`,
    `true && ${run}`,
    `false || ${run}`,
    `echo "$(${simple})"`,
    `x=$(${simple})`,
    `time ${run}`,
    `coproc ${run}; wait`,
    `coproc { ${simple}; }; wait`,
    `coproc ${pick('sh', 'bash')}; echo ${quoted(run)} >&\${COPROC[1]}; sleep 0.1`,
    `coproc S { ${pick('sh', 'bash')}; }; echo ${quoted(run)} >&\${S[1]}; sleep 0.1`,
    `>/dev/null ${run}`,
    `2>&1 A=1 ${run}`,
    `[[ -n $(${run}) ]]`,
    `a=()#;${run}`,
    `${run} | cat`,
    `true | ${run}`,
    `{ true; ${run}; } 2>/dev/null | cat`,
    `{ echo ${quoted(run)}; } | ${shell()}`,
    `(echo ${quoted(run)}) | ${shell()}`,
    `if true; then echo ${quoted(run)}; fi | ${shell()}`,
    `while true; do echo ${quoted(run)}; break; done | ${shell()}`,
    `for i in ${quoted(run)}; do echo "$i"; done | ${shell()}`,
    `case a in a) echo ${quoted(run)};; esac | ${shell()}`,
    `{ printf '${run.slice(0, 3)}'; printf '%s\\n' ${quoted(run.slice(3))}; } | ${shell()}`,
    `(true && echo ${quoted(run)}) | ${shell()}`,
    `select x in a; do ${run}; break; done <<< 1`,
  );
};

/** The classes of this file, by their names. */
export const words: Readonly<Record<string, (form: Form) => string>> = {
  arithmetic,
  parameters,
  braces,
  'patterns and paths': patterns,
  'separators of words': separators,
  'aliases and names': meanings,
  'functions and traps': functions,
  syntax,
};
