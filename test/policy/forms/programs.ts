/** Forms in which a program runs the payload: wrappers, interpreters, tools that write a file which is run. */
import { quoted, says, type Form, type Generate } from './form.ts';

const runners: Generate = ({ pick, run, text, file }) => {
  const inner = pick(run, run, `${pick('sh', 'bash')} -c ${quoted(text())}`);
  return pick(
    `env ${inner}`,
    `env -i PATH="$PATH" ${inner}`,
    `env -S ${quoted(run)}`,
    `env --split-string=${quoted(run)}`,
    `nice -n 1 ${inner}`,
    `nohup ${inner} >/dev/null`,
    `timeout -s KILL 5 ${inner}`,
    `timeout --kill-after=1 5 ${inner}`,
    `stdbuf -oL ${inner}`,
    `setsid -w ${inner}`,
    `xargs -a /dev/null ${inner}`,
    `echo ${quoted(run)} | xargs env`,
    `echo ${run.split(' ').at(-1) ?? ''} | xargs mkfs.ext4`,
    `printf '%s\\0' ${run} | xargs -0 env`,
    `find . -maxdepth 0 -exec ${run} \\;`,
    `find . -maxdepth 0 -exec sh -c ${quoted(text())} \\;`,
    `find . -maxdepth 0 -execdir ${run} ';'`,
    `command ${inner}`,
    `command -p env PATH="$PATH" ${inner}`,
    `exec ${inner}`,
    `(exec -a x ${inner})`,
    `flock ${file('l')} ${inner}`,
    `flock ${file('l')} -c ${quoted(run)}`,
    `script -qc ${quoted(run)} /dev/null`,
    `setarch -R ${inner}`,
    `ionice -c 3 ${inner}`,
    `taskset 1 ${inner}`,
    `chrt -o 0 ${inner}`,
    `prlimit --core=0 ${inner}`,
    `unshare -m ${inner}`,
    `busybox env ${inner}`,
    `busybox sh -c ${quoted(text())}`,
    `strace -o /dev/null ${inner}`,
    `watch -gt -n 1 ${quoted(run)} & sleep 0.2; kill $!`,
    `setpriv --nnp ${inner}`,
    `choom -n 1 -- ${inner}`,
    `mkdir d; printf '#!/bin/sh\\n${run}\\n' > d/a; chmod +x d/a; run-parts d`,
  );
};

const interpreters: Generate = (form) => {
  const { pick, run, text, file } = form;
  const one = file('1');
  const python = pick(
    `import os; os.system("${run}")`,
    `import subprocess; subprocess.run("${run}", shell=True)`,
    `import os; os.popen("${run}").read()`,
    `open("${one}", "w").write("${run}\\n"); import os; os.system("sh ${one}")`,
  );
  const other = `2${one}`;
  return pick(
    `python3 -c ${quoted(python)}`,
    `python3 - <<'E'\n${python}\nE`,
    `python3 <<< ${quoted(python)}`,
    `${says(form, python)} | python3`,
    `cat > ${one}.py <<'E'\n${python}\nE\npython3 ${one}.py`,
    `sed '' > ${one}.py <<< ${quoted(python)}; python3 ${one}.py`,
    `python3 -c 'open("${other}", "w").write("${run}")'; sh ${other}`,
    `cat > ${one}.py <<'E'\nopen("${other}", "w").write("mk" + "${run.slice(2)}")\nE\npython3 ${one}.py; sh ${other}`,
    `perl -e 'system("${run}")'`,
    `perl -e 'exec split / /, "${run}"'`,
    `perl -we '\`${run}\`'`,
    `echo 'system("${run}");' | perl`,
    `echo 'system("${run}");' > ${one}.pl; perl ${one}.pl`,
    `awk 'BEGIN { system("${run}") }'`,
    `awk 'BEGIN { "${run}" | getline }'`,
    `awk 'BEGIN { print "x" | "${run}" }'`,
    `echo 'BEGIN { system("${run}") }' > ${one}; awk -f ${one}`,
    `awk 'BEGIN { print "${run}" > "${one}" }'; sh ${one}`,
    `awk 'BEGIN { print "mk" "${run.slice(2)}" > "${one}" }'; sh ./${one}`,
    `sed '1e ${run}' <<< a`,
    `sed 's/.*/${run.replaceAll('/', '\\/')}/e' <<< a`,
    `vim -es -c '!${run}' -c q </dev/null`,
    `ed -s <<< '!${run}'`,
    `tclsh <<< 'exec ${run}'`,
    `node -e 'require("child_process").execSync("${run}")'`,
    `sqlite3 :memory: '.shell ${run}'`,
    `printf 'all:\\n\\t${run}\\n' > Makefile; make`,
    `printf 'all:\\n\\t${run}\\n' > ${pick('GNUmakefile', 'makefile')}; make -s`,
    `printf 'all:\\n\\t${run}\\n' | sed '' > ${pick('GNUmakefile', 'Makefile')}; make`,
    `printf 'all:\\n\\t${run}\\n' | make -f -`,
    `make -f /dev/null --eval='x := $(shell ${run})'`,
    `echo 'int x;' > ${one}.c; gcc -wrapper ${run.replaceAll(' ', ',')} -c ${one}.c`,
    `echo 'int x;' > ${one}.c; ${pick('cc', 'gcc')} -c -wrapper env,${run.replaceAll(' ', ',')} ${one}.c`,
    `printf '#include <stdlib.h>\\nint main(){return system("${run}");}\\n' > ${one}.c; gcc -o ${other} ${one}.c; ./${other}`,
    `fish -c ${quoted(text())}`,
    `fish -C ${quoted(run)} -c true`,
    `zsh -fc ${quoted(text())}`,
    `git -c alias.z='!${run}' z`,
    `git ls-remote --upload-pac=${quoted(`${run};:`)} .`,
    `git ls-remote --upl ${quoted(`${run};:`)} .`,
    `git init -q . && git -c core.fsmonitor=${quoted(`${run};:`)} status`,
    `GIT_SSH_COMMAND=${quoted(`${run};:`)} git ls-remote ssh://h/x`,
  );
};

/** Programs that leave the text in a file. */
function written(form: Form, text: string, file: string): string {
  const { pick } = form;
  const said = says(form, text);
  const [half, rest] = [text.slice(0, 3), text.slice(3)];
  const encoded = Buffer.from(`${text}\n`).toString('base64');
  const hex = Buffer.from(`${text}\n`).toString('hex');
  const kept = `k${file}`;
  return pick(
    `${said} | tee ${file} >/dev/null`,
    `install -m 700 /dev/stdin ${file} <<< ${quoted(text)}`,
    `cp /dev/stdin ${file} <<< ${quoted(text)}`,
    `${said} | sed 's/x/x/' > ${file}`,
    `${said} | sed -n 'w ${file}'`,
    `${said} | awk '{print > "${file}"}'`,
    `${said} | sort -o ${file}`,
    `${said} | sort --output=${file}`,
    `${said} | uniq - ${file}`,
    `${said} | split -l 5 - ${file}; mv ${file}aa ${file}`,
    `find . -maxdepth 0 -fprintf ${file} ${quoted(`${text.replaceAll('%', '%%')}\\n`)}`,
    `printf '%s' ${quoted(half)} > ${file}; printf '%s\\n' ${quoted(rest)} >> ${file}`,
    `{ printf %s ${quoted(half)}; echo ${quoted(rest)}; } > ${file}`,
    `${said} > ${kept}; cat ${kept} > ${file}`,
    `${said} > ${kept}; head -n 5 ${kept} > ${file}`,
    `${said} > ${kept}; sed '' ${kept} > ${file}`,
    `${said} > ${kept}; paste ${kept} > ${file}`,
    `${said} > ${kept}; sort -o ${file} ${kept}`,
    `${said} > ${kept}; tee ${file} < ${kept} >/dev/null`,
    `${said} > ${kept}; cp ${kept} ${file}`,
    `${said} > ${kept}; mv ${kept} ${file}`,
    `${said} > ${kept}; ln -s ${kept} ${file}`,
    `${said} > ${kept}; dd if=${kept} of=${file} status=none`,
    `${said} > ${kept}; gzip ${kept}; gzip -dc ${kept}.gz > ${file}`,
    `${said} > ${kept}; tar cf ${kept}.tar ${kept}; mv ${kept} o; tar xf ${kept}.tar; mv ${kept} ${file}`,
    `mkdir d${file}; ${said} > d${file}/${file}; tar cf d.tar -C d${file} ${file}; tar xf d.tar`,
    `echo ${encoded} | base64 -d > ${file}`,
    `base64 -d <<< ${encoded} > ${file}`,
    `echo ${hex} | xxd -r -p > ${file}`,
    `xxd -r -p - ${file} <<< ${hex}`,
    `openssl base64 -d -out ${file} <<< ${encoded}`,
    `echo ${quoted(text.toUpperCase())} | tr A-Z a-z > ${file}`,
    `echo ${quoted(Array.from(text).toReversed().join(''))} | rev > ${file}`,
    `printf 'a\\n${text}\\n.\\nw\\nq\\n' | ed -s ${file}`,
    `echo x > ${file}; sed -i ${quoted(`s#x#${text}#`)} ${file}`,
    `echo x > ${file}; perl -pi -e ${quoted(`s#x#${text}#`)} ${file}`,
    `exec 3> ${file}; echo ${quoted(text)} >&3; exec 3>&-`,
    `exec 8>&1 > ${file}; echo ${quoted(text)}; exec >&8`,
    `jq -n -r ${quoted(JSON.stringify(text))} > ${file}`,
    `dd of=${file} status=none <<< ${quoted(text)}`,
    `git init -q .; git config x.y ${quoted(text)}; git config x.y > ${file}`,
    `vim -es -c ${quoted(`call setline(1, "${text}")`)} -c 'w ${file}' -c 'q!' </dev/null`,
    `diff /dev/null <(${said}) > p; patch -s -f ${file} p`,
    `${said} | cut -c1- > ${file}`,
    `${said} | grep . > ${file}`,
    `${said} | xargs -d '\\n' printf '%s\\n' > ${file}`,
    `declare -p > /dev/null; x=${quoted(text)}; declare -p x | cut -d'"' -f2 > ${file}`,
    `script -qc ${quoted(`echo ${quoted(text)}`)} /dev/null | tr -d '\\r' > ${file}`,
    `ls > /dev/null; fold -w 99 <<< ${quoted(text)} > ${file}`,
    `cat > ${file} < <(${said})`,
    `m=$(cat <<'E'\n${text}\nE\n); echo "$m" > ${file}`,
    `node -p ${quoted(JSON.stringify(text))} > ${file}`,
  );
}

const tools: Generate = (form) => {
  const { pick, run, text, file, shell } = form;
  const one = file('1');
  const all = text();
  const started = pick(
    `${shell()} ${one}`,
    `${shell()} ./${one}`,
    `. ./${one}`,
    `source ./${one}`,
    `${shell()} < ${one}`,
    `cat ${one} | ${shell()}`,
    `eval "$(cat ${one})"`,
    `eval "$(< ${one})"`,
    `chmod +x ${one}; ./${one}`,
    `${shell()} "$PWD/${one}"`,
    `${shell()} ${one.slice(0, 1)}${one.slice(1, 2)}*`,
    `${shell()} <(cat ${one})`,
    `(${shell()} ${one})`,
    `if [ -f ${one} ]; then ${shell()} ${one}; fi`,
    `for f in ${one}; do ${shell()} $f; done`,
    `f() { ${shell()} ${one}; }; f`,
    `echo ${one} | xargs ${pick('sh', 'bash')}`,
    `find . -name ${one} -exec ${pick('sh', 'bash')} {} \\;`,
    `bash --rcfile ${one} -i </dev/null`,
    `BASH_ENV=./${one} bash -c true`,
  );
  return pick(
    `${written(form, all, one)}${pick('; ', '\n')}${started}`,
    `${written(form, all, one)}${pick('; ', '\n')}${started}`,
    `${written(form, all, one)}${pick('; ', '\n')}${started}`,
    `mkfifo p; ${pick('sh', 'bash')} < p & echo ${quoted(run)} > p; wait`,
    `mkfifo p; ${pick('sh', 'bash')} p & echo ${quoted(run)} > p; wait`,
    `mkfifo p; cat p | ${pick('sh', 'bash')} & echo ${quoted(run)} > p; wait`,
    `(sleep 0.1; sh ${one}) & echo ${quoted(run)} > ${one}; wait`,
    `trap 'sh ${one}' EXIT; echo ${quoted(run)} | sed '' > ${one}`,
    `yes ${quoted(run)} | head -n 1 | ${shell()}`,
    `echo ${quoted(run)} | tee >(cat) | ${shell()}`,
    `cat <(echo ${quoted(run)}) - </dev/null | ${shell()}`,
  );
};

/** The classes of this file, by their names. */
export const programs: Readonly<Record<string, (form: Form) => string>> = {
  runners,
  interpreters,
  'tools, files, pipes': tools,
};
