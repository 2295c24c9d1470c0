/** Forms that hand a text to a shell: documents, strings, substitutions, `eval` and its like. */
import { quoted, says, type Form, type Generate } from './form.ts';

const documents: Generate = (form) => {
  const { pick, shell, text, file } = form;
  const [end, open] = pick(['E', 'E'], ['E', "'E'"], ['EOF', '"EOF"'], ['X1', '\\X1']);
  const document = `<<${open}\n${text()}\n${end}`;
  const one = file('1');
  return pick(
    `${shell()} ${document}`,
    `${shell()} -s ${document}`,
    `${shell()} /dev/stdin ${document}`,
    `cat <<${open} | ${shell()}\n${text()}\n${end}`,
    `cat > ${one} ${document}\n${shell()} ${one}`,
    `cat > ${one} ${document}\n. ./${one}`,
    `tee ${one} >/dev/null ${document}\n${shell()} ${one}`,
    `sed '' > ${one} ${document}\n${shell()} ${one}`,
    `sed -n 'w ${one}' ${document}\n${shell()} ./${one}`,
    `head -n 9 > ${one} ${document}\n${shell()} < ${one}`,
    `dd of=${one} status=none ${document}\n${shell()} ${one}`,
    `sort -o ${one} ${document}\n${shell()} ${one}`,
    `while read -r l; do echo "$l"; done <<${open} | ${shell()}\n${text()}\n${end}`,
    `${shell()} <<-${open}\n\t${text()}\n\t${end}`,
    `exec 3<<${open}\n${text()}\n${end}\n${shell()} <&3`,
    `exec 4<<${open}\n${text()}\n${end}\n${shell()} /dev/fd/4`,
    `source /dev/fd/3 3<<${open}\n${text()}\n${end}`,
    `. /proc/self/fd/5 5<<${open}\n${text()}\n${end}`,
    `{ ${shell()} <&3; } 3<<${open}\n${text()}\n${end}`,
    `exec <<${open}\n${text()}\n${end}\n${pick('sh', 'bash', 'dash')}`,
    `read -r l <<${open}\n${text()}\n${end}\neval "$l"`,
    `awk '{print > "${one}"}' ${document}\n${shell()} ${one}`,
  );
};

const strings: Generate = (form) => {
  const { pick, shell, text, file } = form;
  const string = `<<< ${quoted(text())}`;
  const one = file('1');
  return pick(
    `${shell()} ${string}`,
    `${shell()} -s ${string}`,
    `source /dev/stdin ${string}`,
    `cat ${string} | ${shell()}`,
    `cat > ${one} ${string}; ${shell()} ${one}`,
    `install -m 600 /dev/stdin ${one} ${string}; ${shell()} ${one}`,
    `cp /dev/stdin ${one} ${string}; . ./${one}`,
    `tail -n 1 ${string} > ${one}; ${shell()} ${one}`,
    `uniq - ${one} ${string}; ${shell()} ${one}`,
    `read -r l ${string}; eval "$l"`,
    `mapfile -t l ${string}; eval "\${l[0]}"`,
    `read -r l <<< ${quoted(form.run)}; $l`,
    `xargs env <<< ${quoted(form.run)}`,
    `xargs -I{} ${pick('sh', 'bash')} -c {} ${string}`,
    `cut -c1- ${string} | ${shell()}`,
    `${shell()} 3${string} <&3`,
    `exec ${string}; ${pick('sh', 'bash')}`,
    `exec 7${string}; . /dev/fd/7`,
    `${shell()} <<< "$(${says(form, text())})"`,
    `split -l 9 - ${one} ${string}; ${shell()} ${one}aa`,
    `python3 - <<< ${quoted(`import os; os.system("${form.run}")`)}`,
  );
};

const substitutions: Generate = (form) => {
  const { pick, shell, text, file, run } = form;
  const said = says(form, text());
  const one = file('1');
  return pick(
    `${shell()} <(${said})`,
    `. <(${said})`,
    `source <(${said})`,
    `${shell()} < <(${said})`,
    `cat <(${said}) | ${shell()}`,
    `${shell()} <(cat <(${said}))`,
    `${shell()} <(${said} | cat)`,
    `. <(${said} | sed '')`,
    `source <(if true; then ${said}; fi)`,
    `${shell()} <({ ${said}; })`,
    `exec 5< <(${said}); ${shell()} <&5`,
    `exec 6< <(${said}); . /dev/fd/6`,
    `exec < <(${said}); ${pick('sh', 'bash')}`,
    `cat <(${said}) > ${one}; ${shell()} ${one}`,
    `cp <(${said}) ${one}; ${shell()} ${one}`,
    `install -m 700 <(${said}) ${one}; ./${one}`,
    `paste -d '\\n' <(${said}) /dev/null | ${shell()}`,
    `${said} > >(${shell()}); sleep 0.1`,
    `${said} | tee >(${shell()}) >/dev/null; sleep 0.1`,
    `eval "$(cat <(${said}))"`,
    `eval "$(<<<${quoted(run)} cat)"`,
    `mapfile -t l < <(${said}); eval "\${l[*]}"`,
    `while read -r l; do $l; done < <(echo ${quoted(run)})`,
    `head -n 1 <(echo ${quoted(run)}) | ${shell()}`,
  );
};

const evals: Generate = (form) => {
  const { pick, text, file, run, shell } = form;
  const said = says(form, text());
  const one = file('1');
  return pick(
    `eval ${quoted(text())}`,
    `eval "$(${said})"`,
    `eval "x=1; $(${said} | cat)"`,
    `eval "x=$(echo ${quoted(`1; ${run}`)} | sed '')"`,
    `eval \`${said}\``,
    `x=${quoted(text())}; eval "$x"`,
    `x=${quoted(run)}; $x`,
    `trap ${quoted(text())} EXIT`,
    `trap ${quoted(text())} DEBUG`,
    `eval eval ${quoted(quoted(text()))}`,
    `$(echo ${quoted(run)})`,
    `\`printf %s ${quoted(run)}\``,
    `command eval ${quoted(text())}`,
    `builtin eval ${quoted(text())}`,
    `eval "echo ${quoted(text())} > ${one}"; ${shell()} ${one}`,
    `${said} > ${one}; eval '${pick('sh', 'bash', '.')} ./${one}'`,
    `PROMPT_COMMAND=${quoted(text())} bash -i </dev/null`,
    `printf -v x %s ${quoted(text())}; eval "$x"`,
    `read -r x <<< ${quoted(text())}; eval "$x"`,
    `mapfile -C ${quoted(`${run}; :`)} -c 1 x <<< a`,
    `set -- ${quoted(text())}; eval "$1"`,
    `x=(${quoted(text())}); eval "\${x[0]}"`,
    `${shell()} -c ${quoted(text())}`,
    `${said} | ${shell()}`,
    `eval "\${x:-${text()}}"`,
    `declare x=${quoted(text())}; eval "$x"`,
  );
};

/** The classes of this file, by their names. */
export const texts: Readonly<Record<string, (form: Form) => string>> = {
  'here-documents': documents,
  'here-strings': strings,
  'process substitutions': substitutions,
  'eval and its like': evals,
};
