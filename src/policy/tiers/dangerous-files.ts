/** Deleting, changing and overwriting. */
import { flagsOf, hasLong, operandsOf } from '../../shell/options.ts';
import { resolvePath } from '../../shell/paths.ts';
import { globMatches } from '../../shell/names.ts';
import { runBy } from '../../shell/unwrap.ts';
import { hole, type Analysis, type Simple } from '../../shell/types.ts';
import { isRecursive } from './hardline.ts';
import { argsOf, type Rule } from './rule.ts';
import { takesAway, type How } from '../../shell/writers.ts';
import { writesOf } from '../../shell/writes.ts';
import { protectionOf, type Protection } from './protection.ts';

const passing = (args: readonly string[]): readonly string[] => args.filter((arg) => !arg.startsWith('-'));

/** Below the project, and in directories for passing files, a single file may go. */
function deletesAbsolute(command: Simple): boolean {
  return operandsOf(command.words.slice(1)).some(({ text }) => {
    const path = resolvePath(text, command.cwd) ?? '/';
    if (!text.startsWith('/')) return command.cwd === '/' && /^\/[^/\0]+$/.test(path);
    return !/^\/(?:var\/)?tmp\/./.test(path) && (command.cwd === null || command.cwd === '/' || !path.startsWith(`${command.cwd}/`));
  });
}

/** Whether a mode lets everybody write: octal with the write bit for others, or `o+w`, `a=rwx`, `=rw` for all. */
function opensToAll(mode: string): boolean {
  if (/^[0-7]{3,4}$/.test(mode)) return (Number(mode.at(-1)) & 2) !== 0;
  return mode.split(',').some((part) => /^(?:[ug]*[oa][ugoa]*(?:[-+=][rwxXst]*)*[+=]|=)[rxXst]*w/.test(part));
}

/** Whether a mode lets the group or everybody do anything. */
function opensToOthers(mode: string): boolean {
  if (/^[0-7]{3,4}$/.test(mode)) return !mode.endsWith('00');
  return mode.split(',').some((part) => /^(?:u*[goa][ugoa]*(?:[-+=][rwxXst]*)*[+=]|[+=])[rwxXst]*[rwx]/.test(part));
}

const isPrivateKey = (path: string): boolean => /\/\.ssh\/id_[^./]*$|\/\.ssh\/[^/]*\.(?:pem|key)$|\/\.gnupg\/private-keys[^/]*\/./.test(path);

/** `install -m 666`, `mkdir --mode=777`, `umask 0`. */
function createsOpen({ program, words }: Simple): boolean {
  const args = words.slice(1).map(({ text }) => text);
  if (program === 'umask') return args.some((arg) => /^[0-7]{1,4}$/.test(arg) && (Number(arg.at(-1)) & 2) === 0);
  return args.some((arg, at) => opensToAll(/^(?:-m|--mode)$/.test(args[at - 1] ?? '') ? arg : (/^(?:-m|--mode=)(.+)$/.exec(arg)?.[1] ?? '')));
}

const modeOf = (args: readonly string[]): string => args.find((arg) => /^[0-7]{3,4}$|^(?:[ugoa]+[-+=]|[+=])/.test(arg)) ?? '';

function writes(command: Simple, protection: Protection, how: readonly How[]): boolean {
  return writesOf(command).some((write) => how.includes(write.how) && write.path !== null && protectionOf(write.path, !/^[/~\u0001]/.test(write.target.text)) === protection);
}

/** `4755`, `u+s`, `+s`: it runs with the rights of its owner or its group. */
const setsOwner = (mode: string): boolean => /^0?[2467][0-7]{3}$/.test(mode) || mode.split(',').some((part) => /^[ugoa]*[+=][rwxXt]*s/.test(part));

/** Cached by analysis: whether a command reads file names from its input, and another one writes a sensitive name. */
const readNames = new WeakMap<Analysis, boolean>();

function readsNames(analysis: Analysis): boolean {
  const found = readNames.get(analysis) ?? (analysis.commands.some(({ program }) => /^(?:read|mapfile|readarray)$/.test(program ?? '')) && analysis.commands.some(tellsSensitive));
  readNames.set(analysis, found);
  return found;
}

const tellsSensitive = ({ program, words, stdin, cwd }: Simple): boolean =>
  [...(/^(?:echo|printf)$/.test(program ?? '') ? words.slice(1).map(({ text }) => text) : []), ...(stdin?.split(/\s+/, 64) ?? [])].some((text) => /^[/~\u0001]/.test(text) && protectionOf(resolvePath(text, cwd) ?? '', false) !== null);

const removes = /^(?:rm|unlink|shred|rmdir)$/;

/** Makes a file executable that a later command calls by its path. */
function runsMade({ words, cwd, start }: Simple, { commands }: Analysis): boolean {
  const args = words.slice(1);
  if (!args.some(({ text }) => /^[ugoa]*[+=][rwst]*x|^[0-7]*[1357][0-7]{0,2}$/.test(text))) return false;
  const made = operandsOf(args).slice(1).map((word) => ({ path: resolvePath(word.text, cwd), glob: word.glob }));
  return commands.some((command) => {
    const called = command.words[0]?.text.includes('/') === true && command.start >= start ? resolvePath(command.words[0].text, command.cwd) : null;
    return called !== null && made.some(({ path, glob }) => path !== null && (path === called || (glob && globMatches(path, called))));
  });
}

const packers = /^(?:gzip|pigz|bzip2|xz|lzma|compress)$/;

/** Whole directories: of tar and zip any, of programs that pack files in place those outside of the project. */
function packsAway(command: Simple, { commands }: Analysis): boolean {
  const { program, words, cwd, stage } = command;
  const args = argsOf(command);
  if (program === 'tar' || program === 'bsdtar') return hasLong(args, '--remove-files');
  if (program === 'rsync') return hasLong(args, '--remove-source-files') || args.includes('--remove-sent-files');
  if (program === '7z' || program === '7za') return args.includes('-sdel');
  if (program === 'zip') return takesAway(words.slice(1)) && isRecursive(args);
  const isOutside = (text: string): boolean => /^[/~\u0001]/.test(resolvePath(text, cwd) ?? '/') && (cwd === null || cwd === '/' || !(resolvePath(text, cwd) ?? '/').startsWith(cwd));
  if (program !== 'xargs') return isRecursive(args) && writesOf(command).some(({ target }) => isOutside(target.text));
  const feeds = commands.filter((each) => each.program === 'find' && stage !== null && each.stage?.pipeline === stage.pipeline && each.stage.index < stage.index);
  return runBy(words).some((name) => packers.test(name)) && feeds.some((each) => /^[/~\u0001]/.test(argsOf(each)[0] ?? '') && isOutside(argsOf(each)[0] ?? ''));
}

/** Programs whose writing has a rule of its own, or is deleting. */
const isDelete = ({ program }: Simple): boolean => program === 'rm' || program === 'unlink';

export const fileRules: readonly Rule[] = [
  {
    id: 'D1', description: 'recursive delete', programs: ['rm', 'srm', 'rmtree', 'trash', 'rimraf'],
    test: (command) => command.program === 'rimraf' || isRecursive(argsOf(command)),
    yes: ['rm -r x', 'rm x -rf', 'rm -rf /tmp/old-project', 'rm --recursive x', 'rm --rec x', 'for d in a b; do rm -rf "$d"; done'],
    no: ['rm foo | grep -r x', 'rm ./notes.md', 'rm -f x', 'git rm -r --cached x', 'rm -- -r'],
  },
  {
    id: 'D2', description: 'delete in root path', programs: ['rm', 'unlink'],
    test: deletesAbsolute,
    yes: ['rm /vmlinuz', 'rm -f /opt/app/x', 'unlink /usr/lib/libc.so', 'cd / && rm vmlinuz'],
    no: ['rm file', 'rm -f ./a', 'rm /tmp/x.log'],
  },
  {
    id: 'D3', description: 'world/other-writable permissions', programs: ['chmod'],
    test: (command) => !isRecursive(argsOf(command)) && opensToAll(modeOf(argsOf(command))),
    yes: ['chmod 777 x', 'chmod 666 x', 'chmod o+w x', 'chmod a+rwx x', 'chmod -v 777 x', 'chmod u+x,o+w x', 'chmod 1777 x', 'chmod =rwx x', 'chmod a-x+w x'],
    no: ['chmod 755 x', 'chmod o-w x', 'chmod +x x', 'chmod 644 777', 'chmod u+w x', 'chmod a+r-w x', 'chmod =r x'],
  },
  {
    id: 'D3k', description: 'private key that others may read', programs: ['chmod'],
    test: (command) => opensToOthers(modeOf(argsOf(command))) && operandsOf(command.words.slice(1)).some(({ text }) => isPrivateKey(resolvePath(text, command.cwd) ?? '')),
    yes: ['chmod 644 ~/.ssh/id_ed25519', 'chmod go+r ~/.ssh/id_rsa', 'chmod a=r ~/.ssh/id_rsa', 'chmod 640 ~/.gnupg/private-keys-v1.d/x.key'],
    no: ['chmod 600 ~/.ssh/id_rsa', 'chmod 644 ~/.ssh/id_rsa.pub', 'chmod 644 ~/.ssh/config', 'chmod go-r ~/.ssh/id_rsa', 'chmod u+r ~/.ssh/id_rsa', 'chmod 644 id_rsa.md'],
  },
  {
    id: 'D3r', description: 'recursive world/other-writable permissions', programs: ['chmod'],
    test: (command) => isRecursive(argsOf(command)) && opensToAll(modeOf(argsOf(command))),
    yes: ['chmod -R 777 .', 'chmod --recursive a+w d', 'chmod 777 d -R'],
    no: ['chmod -R 755 .', 'chmod 777 x'],
  },
  {
    id: 'D3m', description: 'world-writable from the beginning', programs: ['install', 'mkdir', 'umask'],
    test: createsOpen,
    yes: ['install -m 777 a b', 'mkdir -p --mode=0777 d', 'mkdir -m777 d', 'umask 000'],
    no: ['install -m 755 a b', 'mkdir -m 700 d', 'umask 022', 'umask', 'mkdir 777'],
  },
  {
    id: 'D4', description: 'recursive chown to root', programs: ['chown'],
    test: (command) => isRecursive(argsOf(command)) && /^(?:root|0)(?:[:.]|$)/.test(passing(argsOf(command))[0] ?? ''),
    yes: ['chown -R root .', 'chown --recursive root:root d', 'sudo chown -hR 0:0 d'],
    no: ['chown u:g f', 'chown -R me .', 'chown root f'],
  },
  {
    id: 'D5', description: 'disk copy', programs: ['dd', 'dcfldd', 'dc3dd', 'ddrescue'],
    test: (command) => argsOf(command).some((arg) => (command.program === 'ddrescue' ? arg.startsWith('/dev/') : /^(?:if|of)=/.test(arg))),
    yes: ['dcfldd if=/dev/sda of=x', 'ddrescue /dev/sda x map', 'dd if=/dev/zero of=out.img', 'sudo dd if=/dev/sda of=disk.img', 'dd of=x bs=1M'],
    no: ['git add if=', 'echo dd if=a of=b'],
  },
  {
    id: 'D7', description: 'overwrite system config', programs: ['*'],
    test: (command) => writes(command, 'etc', ['redirect']),
    yes: ["echo 'x' > /etc/hosts", 'echo x >> /etc/hosts', 'cat a >/etc/nginx/nginx.conf', 'cd /etc && echo x > passwd', 'echo x &> /etc/x', "awk '{print > \"/etc/x\"}' f"],
    no: ['cat /etc/hosts', 'echo x > ./etc/hosts', 'diff /etc/hosts a', 'echo "> /etc/hosts"', "sed 's/a/b/' /etc/hosts > hosts.new"],
  },
  {
    id: 'D7t', description: 'overwrite system file via tee', programs: ['tee'],
    test: (command) => writes(command, 'etc', ['tee']),
    yes: ['echo x | sudo tee /etc/hosts', 'tee -a /etc/fstab < x'],
    no: ['tee ./etc/hosts < h', 'tee build/etc/app.conf < in.txt'],
  },
  {
    id: 'D7c', description: 'copy/move file into /etc/', programs: ['*'],
    test: (command) => writes(command, 'etc', ['copy', 'option']),
    yes: ['cp app.conf /etc/app.conf', 'sudo mv x /etc/', 'install -m 644 a /etc/cron.d/a', 'curl -o /etc/x http://h/x', 'ln -sf x /etc/resolv.conf', 'sort -o /etc/x y', 'dd if=x of=/etc/x'],
    no: ['cp /etc/hosts ./hosts.copy', 'mv x my/etc/', 'cp a ./etc/b'],
  },
  {
    id: 'D7e', description: 'in-place edit of system config', programs: ['*'],
    test: (command) => !isDelete(command) && writes(command, 'etc', ['edit']),
    yes: ["sed -i 's/a/b/' /etc/hosts", "sed --in-place 's/a/b/' /etc/hosts", "perl -pi -e 's/a/b/' /etc/hosts", 'truncate -s 0 /etc/motd', 'mv /etc/passwd x'],
    no: ["sed -n '1,5p' /etc/hosts", "sed -i 's/a/b/' src/app.ts"],
  },
  {
    id: 'D8', description: 'overwrite sensitive file', programs: ['*'],
    test: (command) => !(isDelete(command) || command.program === 'mkdir') && writes(command, 'sensitive', ['redirect', 'tee', 'copy', 'edit', 'option', 'link']),
    yes: ['tee -a ~/.ssh/authorized_keys', 'echo A=b >> ~/.hermes/.env', 'cp evil ~/.ssh/authorized_keys', 'echo x >> "$HOME/.bashrc"', 'cp k ~/.ssh/', 'echo A=1 > .env', 'echo x > .git/hooks/pre-commit', 'sed -i s/a/b/ ~/.zshrc', 'mv ~/.caisson/audit /tmp', 'mv ~/.bashrc x'],
    no: ['cp ~/.ssh/config ./backup', 'cat .env', 'echo A=1 > .env.example', 'echo x > log.txt', 'grep x ~/.bashrc > out'],
  },
  {
    id: 'D8d', description: 'delete sensitive file', programs: ['rm', 'unlink'],
    test: (command) => writesOf(command).some(({ path, target }) => path !== null && /^[/~\u0001]/.test(target.text) && protectionOf(path, false) === 'sensitive'),
    yes: ['rm ~/.ssh/id_ed25519', 'rm -f ~/.caisson/audit/head', 'unlink ~/.bashrc'],
    no: ['rm .env.local', 'rm ~/notes.txt'],
  },
  {
    id: 'D7x', description: 'archive unpacked over root or home directory', programs: ['tar', 'bsdtar', 'unzip'],
    test: (command) => writesOf(command).some(({ how, path }) => how === 'copy' && /^[/~\u0001]\/?$/.test(path ?? '')),
    yes: ['tar xf x -C /', 'tar xf x -C ~', 'unzip x -d /', 'cd / && tar -xzf x', 'tar --extract -f x --directory=/'],
    no: ['tar xf x', 'tar cf x -C / etc', 'tar xf x -C build', 'unzip x -d out', 'tar tf x'],
  },
  {
    id: 'D3s', description: 'program that runs as its owner', programs: ['chmod', 'setcap', 'install'],
    test: ({ program, words }) => words.slice(1).some(({ text }, at) => (program === 'setcap' ? !text.startsWith('-') && /[+=]/.test(text) : setsOwner(program === 'chmod' ? text : /^(?:-m|--mode)$/.test(words[at]?.text ?? '') ? text : (/^(?:-m|--mode=)(.+)$/.exec(text)?.[1] ?? '')))),
    yes: ['chmod u+s x', 'chmod 4755 x', 'chmod +s x', 'chmod g+s,a+x x', 'chmod 06755 x', 'setcap cap_net_raw+ep x', 'install -m 4755 a b'],
    no: ['chmod 755 x', 'chmod 0755 x', 'chmod u-s x', 'chmod 1755 d', 'setcap -r x', 'chmod +x setup.s', 'install -m 755 a b'],
  },
  {
    id: 'D8r', description: 'write to sensitive files by names that are read', programs: ['*'],
    test: (command, analysis) => command.redirects.some(({ writes: isWrite, target }) => isWrite && target.text.includes(hole)) && readsNames(analysis),
    yes: ['echo ~/.bashrc | while read f; do echo x >> $f; done', 'printf "%s\\n" ~/.ssh/authorized_keys | while read -r f; do cat x > "$f"; done'],
    no: ['ls *.txt | while read f; do sort "$f" > "$f.sorted"; done', 'echo ~/.bashrc; echo x >> $f'],
  },
  {
    id: 'D18', description: 'xargs with rm', programs: ['xargs', 'parallel'],
    test: ({ words }) => runBy(words).some((name) => removes.test(name)),
    yes: ['ls | xargs rm', 'ls | xargs -n1 rm -f', 'git ls-files -o | xargs -0 rm', 'xargs -a list rm', 'ls | xargs timeout 5 unlink'],
    no: ['echo rm | xargs echo', 'xargs -n1 basename < list.txt', 'xargs echo rm'],
  },
  {
    id: 'D18e', description: 'find -exec rm', programs: ['find', 'gfind', 'bfs', 'fd', 'fdfind'],
    test: ({ words }) => runBy(words).some((name) => removes.test(name)),
    yes: ['find . -exec rm {} \\;', 'find . -execdir /bin/rm {} +', 'find /var/log -mtime +7 -exec rm {} \\;', 'find . -exec sudo nice rm -f {} +', 'fd x --exec-batch rm -f'],
    no: ["find . -name '*.md' -exec grep -l TODO {} +", 'find . -print', 'find . -exec echo rm {} \\;'],
  },
  {
    id: 'D18d', description: 'find -delete', programs: ['find', 'gfind', 'bfs'],
    test: ({ words }) => words.some(({ text }, at) => text === '-delete' && !/^-(?:i?name|i?path|i?regex|[il]name)$/.test(words[at - 1]?.text ?? '')),
    yes: ['find . -delete', 'find . -name a -o -name b -delete'],
    no: ['find . -print', 'echo "find . -delete"', "find . -name '*-delete*'", "find . -name '-delete'"],
  },
  {
    id: 'D8u', description: 'write in a directory that is not known', programs: ['*'],
    test: (command) => !isDelete(command) && command.program !== 'mkdir' && writesOf(command).some(({ path, how, target }) => path === null && command.cwd === null && (how === 'redirect' || how === 'tee') && !target.text.startsWith(hole)),
    yes: ['cd "$x" && echo k > passwd', 'popd; echo x | tee hosts'],
    no: ['cd sub && echo x > y', 'cd "$(mktemp -d)" && echo x > y', 'echo x > "$f"', 'cd "$x" && make'],
  },
  {
    id: 'D21', description: 'chmod +x followed by immediate execution', programs: ['chmod'],
    test: runsMade,
    yes: ['chmod +x a && ./a', 'chmod 755 i.sh; ./i.sh', 'chmod u=rwx a && $PWD/a', 'chmod +x *.sh; ./a.sh'],
    no: ['chmod +x a', 'chmod +x build.sh && ls', './a'],
  },
  {
    id: 'D1p', description: 'files packed, and taken away from where they were', programs: ['tar', 'bsdtar', 'zip', 'gzip', 'pigz', 'bzip2', 'xz', 'lzma', 'compress', 'xargs', 'rsync', '7z', '7za'],
    test: packsAway,
    yes: ['tar --remove-files -cf a.tar d', 'tar cf a.tar d --remove-fil', 'gzip -r /usr', 'gzip -rf ~', 'cd / && gzip -r .', 'find /etc -type f | xargs gzip', 'zip -rm a.zip d', 'xz -z /usr/lib/*/x; gzip -9r /srv/x', 'rsync -a --remove-source-files /srv/ b/', '7z a x.7z d -sdel'],
    no: ['tar -czf a.tgz d', 'gzip -r logs', 'gzip x.log', 'gzip -rk /srv/x', 'zip -r a.zip d', 'zip -m a.zip x.log', 'find . -name "*.log" | xargs gzip', 'rsync -a a b', 'gzip -dc a.gz'],
  },
  {
    id: 'D22t', description: 'shred or wipe files', programs: ['shred', 'wipe', 'srm'],
    test: ({ words }) => hasLong(words.map(({ text }) => text), '--remove') || flagsOf(words.slice(1).map(({ text }) => text)).includes('-u'),
    yes: ['shred -u secret.txt'],
    no: ['shred --help'],
  },
];
