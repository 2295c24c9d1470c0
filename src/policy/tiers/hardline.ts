/** Commands after which there is nothing left to approve: refused for every caller, in every mode. */
import { globMatches } from '../../shell/names.ts';
import { flagsOf, hasLong, operandsAfter, operandsOf } from '../../shell/options.ts';
import { machineOf } from '../../shell/machines.ts';
import { resolvePath } from '../../shell/paths.ts';
import { hole, type Analysis, type Simple } from '../../shell/types.ts';
import { argsOf, type Rule } from './rule.ts';
import { writesOf } from '../../shell/writes.ts';
import { rawDevice } from './protection.ts';

export function isRecursive(args: readonly string[]): boolean {
  const flags = flagsOf(args);
  return flags.includes('-r') || flags.includes('-R') || hasLong(args, '--recursive', 1);
}

const isRoot = (path: string): boolean => path === '/' || /^(?:\/[.?!^\]-]*\*[*?.]*)+$/.test(path) || /^\/\[[^/]*\]\*$/.test(path);
const systemDirectory = /^\/(?:home|root|etc|usr|var|bin|sbin|boot|lib|lib32|lib64|libx32|dev|sys|proc|System|Library|Users)(?:\/[.]?\*[*]?)?$/;
/** Written out, or by a pattern that finds one: `/e*`. */
const isSystemDirectory = (path: string): boolean =>
  systemDirectory.test(path) || (!isRoot(path) && /^\/[^/]*[*?[][^/]*$/.test(path) && systemNames.some((name) => globMatches(path.slice(1), name)));
const systemNames = ['home', 'root', 'etc', 'usr', 'var', 'bin', 'sbin', 'boot', 'lib', 'lib64', 'dev', 'sys', 'proc'];
const homeDirectory = /^~(?:\/[.]?\*[*]?)?$/;

/** What a command deletes with everything below, as absolute paths. */
function deletedTrees(command: Simple, analysis: Analysis): readonly string[] {
  const args = command.words.slice(1);
  if (command.elsewhere === 'container') return [];
  if (command.program === 'find') return foundTrees(command, analysis);
  if (command.program === 'mv') return movedTrees(command);
  // What is not in the source goes.
  if (command.program === 'rsync') return hasLong(argsOf(command), '--delete', 5) || argsOf(command).some((arg) => arg.startsWith('--delete')) ? operandsOf(args).slice(1).slice(-1).flatMap(({ text }) => resolvePath(text, command.cwd) ?? []) : [];
  return command.program === 'rimraf' || isRecursive(argsOf(command)) ? operandsOf(args).flatMap(({ text }) => resolvePath(text, command.cwd) ?? []) : [];
}

/** Trees that `mv` takes away: a move counts as a deletion, since nothing stays in the old place. */
function movedTrees({ words, cwd }: Simple): readonly string[] {
  const args = words.slice(1);
  const into = args.some(({ text }) => /^(?:-t|--target)/.test(text));
  const moved = into ? operandsOf(args) : operandsOf(args).slice(0, -1);
  const paths = moved.flatMap(({ text }) => resolvePath(text, cwd) ?? []);
  return args.at(-1)?.text === '/dev/null' ? paths : paths.map((path) => (systemPart.test(path) ? '/usr' : path)).filter((path) => isRoot(path) || systemDirectory.test(path));
}

const systemPart = /^\/usr\/(?:bin|sbin|lib|lib32|lib64|libx32|libexec)\/?$/;

const isHome = (path: string, home: string | null): boolean =>
  homeDirectory.test(path) || (home !== null && path.startsWith(home) && /^(?:|\/[.]?\*[*]?)$/.test(path.slice(home.length)));

/** `find / -delete` without any test deletes as `rm -r` does, and so does `find / | xargs rm`. */
function foundTrees({ words, cwd, stage }: Simple, { commands }: Analysis): readonly string[] {
  const args = words.slice(1).map(({ text }) => text);
  const removes = args.includes('-delete') || /(?:^| )-(?:exec|execdir|ok) (?:\S*\/)?rm /.test(args.join(' ')) || (stage !== null && commands.some((each) => each.program === 'rm' && each.stage?.pipeline === stage.pipeline && each.stage.index > stage.index));
  // A test that lets almost everything pass does not count: `! -name x`, `-name '*'`.
  const tests = args.some((arg, at) => /^-(?:i?name|i?path|i?regex|[acm]time|[acm]min|newer|size|user|group|perm|empty|maxdepth|inum|links|uid|gid|nouser|nogroup)/.test(arg) && !/^(?:!|-not)$/.test(args[at - 1] ?? '') && !/^\/?\*$/.test(args[at + 1] ?? ''));
  const first = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[HLP]$/.test(arg));
  return removes && !tests ? args.slice(0, Math.max(0, first)).flatMap((arg) => resolvePath(arg, cwd) ?? []) : [];
}

/** Changes the name of a device at most, or has a rule of its own. */
const passesBy = /^(?:dd|dcfldd|dc3dd|rm|unlink|touch|mkdir|ln|patch)$/;

/** A device, by any name below `/dev`: what stands in a file is not more than the file. */
export const formats = ({ words, cwd }: Simple): boolean => words.slice(1).some(({ text }) => /^\/dev\/(?!loop|shm\/|null$)./.test(resolvePath(text, cwd) ?? ''));

const device = ({ words, cwd }: Simple): boolean => words.slice(1).some(({ text }) => rawDevice.test(resolvePath(text, cwd) ?? ''));
export const asksOnly = (args: readonly string[]): boolean => args.length > 0 && args.every((arg) => /^(?:--help|--version|-V|-h)$/.test(arg));

/** Programs that make a file system. */
export const formatters = ['mkfs', 'mkfs.*', 'mke2fs', 'newfs', 'newfs_*', 'mkdosfs', 'mkntfs', 'mkreiserfs'];
export const enders = ['shutdown', 'reboot', 'halt', 'poweroff', 'init', 'telinit', 'systemctl', 'loginctl', 'kexec', 'dbus-send', 'gdbus', 'busctl', 'qdbus', 'varlinkctl', 'launchctl', 'dinitctl', 'runit-init', 'openrc-shutdown', 's6-reboot', 's6-poweroff', 's6-halt', 's6-linux-init-shutdown', 'systemd-shutdown', 'rtcwake', 'restart-computer', 'stop-computer'];

export const hardlineRules: readonly Rule[] = [
  {
    id: 'H1', description: 'recursive delete of root filesystem', programs: ['rm', 'find', 'srm', 'rimraf', 'mv', 'rsync'],
    test: (command, analysis) => deletedTrees(command, analysis).some(isRoot),
    yes: ['rm -rf /', 'rm -fr /*', 'rm -rf "/"', 'rm -rf //./..', 'sudo rm / -rf', 'rm -rf ./ /', 'cd / && rm -rf *', 'find / -delete', 'rm >log -rf /', 'a=(-rf /); rm "${a[@]}"', 'for d in /tmp /; do rm -rf $d; done', 'npx rimraf /', 'mv /* /dev/null', 'python3 -c \'import os; os.system("rm -rf /")\'', 'echo "rm -rf /" > x.sh; sh x.sh', 'find / -print0 | xargs -0 rm', 'ssh h <<E\nrm -rf /\nE', 'mv /* /tmp/x', 'rsync -a --delete /empty/ /'],
    no: ['rm -rf /tmp/x', 'rm -rf /...', 'echo "rm -rf /"', 'rm -rf ./node_modules', '# rm -rf /', 'find / -name x.tmp -delete', 'python3 -c \'print("rm -rf /")\'', 'for d in / /tmp; do ls $d; done', 'mv a /dev/null', 'echo "rm -rf /" > x.sh; sh y.sh'],
  },
  {
    id: 'H2', description: 'recursive delete of system directory', programs: ['rm', 'find', 'srm', 'rimraf', 'mv', 'rsync'],
    test: (command, analysis) => deletedTrees(command, analysis).some(isSystemDirectory),
    yes: ['rm -rf /etc', "rm -rf '/usr'", 'sudo rm -rf /var/*', 'rm -rf build /home/', 'rm -rf /{bin,boot}', 'rm -rf /e[t]c', 'find /usr ! -name x -delete', 'mv /usr/bin /tmp/', 'mv -t /tmp /etc', 'rsync -a --delete empty/ /etc/'],
    no: ['rm -rf /home/u/scratch', 'rm -rf ./etc', 'rm -rf /var/tmp/build', 'rm -rf /x*', 'find /etc -name x -delete', 'mv /etc/x /tmp', 'mv a /usr/', 'rsync -a --delete dist/ h:/srv/www/', 'rsync -a /etc/ backup/'],
  },
  {
    id: 'H3', description: 'recursive delete of home directory', programs: ['rm', 'find', 'srm', 'rimraf', 'mv'],
    test: (command, analysis) => deletedTrees(command, analysis).some((path) => isHome(path, analysis.home)),
    yes: ['rm -rf ~', 'rm -rf "$HOME"', 'rm -r ${HOME}/*', 'cd && rm -rf .'],
    no: ['rm -rf ~/tmp', "rm -rf '~'", 'rm -rf $HOMEPAGE'],
  },
  {
    id: 'H4', description: 'format filesystem', programs: [...formatters, 'mkswap', 'diskutil'],
    test: (command) => {
      const args = argsOf(command);
      if (command.elsewhere === 'container' || asksOnly(args)) return false;
      if (command.program === 'mkswap') return device(command);
      return command.program === 'diskutil' ? /^(?:(?:erase|partition|reformat|secureErase|zero|random)|apfs (?:delete|erase))/i.test(args.slice(0, 2).join(' ')) : formats(command);
    },
    yes: ['mkfs.ext4 /dev/sdb', 'mke2fs /dev/sdb1', 'mkswap /dev/sda2', 'diskutil eraseDisk JHFS+ X disk2', 'sudo mkfs -t xfs /dev/vdb', 'diskutil apfs deleteContainer disk1', 'newfs_msdos /dev/disk2s1', 'cd /dev && mkfs.xfs -f sdb', 'mkfs.ext4 /dev/$DISK', 'mkfs -t ext4 /dev/disk/by-id/x'],
    no: ['mkfs.ext4 disk.img', 'mkfs.ext4 /dev/loop0', 'mkfs.ext4 "$image"', 'mkfs_helper /dev/sdb', 'mkswap /swapfile', 'command -v mkfs', 'mkfs.ext4 --help', 'man mkfs', 'diskutil list', 'diskutil apfs list'],
  },
  {
    id: 'H5', description: 'wipe of a raw block device', programs: ['wipefs', 'blkdiscard', 'shred', 'sgdisk', 'sfdisk', 'badblocks', 'nvme', 'cryptsetup', 'hdparm', 'scrub', 'wipe', 'nwipe', 'parted', 'ddrescue', 'fdisk', 'gdisk', 'mdadm', 'pvremove'],
    test: (command) => command.elsewhere !== 'container' && device(command) && wipes(command, argsOf(command)),
    yes: ['wipefs -a /dev/sda', 'blkdiscard /dev/nvme0n1', 'shred /dev/sdb', 'sgdisk -Z /dev/sda', 'sgdisk --zap-all /dev/sda', 'parted -s /dev/sda mklabel gpt', 'ddrescue -f x /dev/sda', 'parted /dev/sda rm 1', "echo 'label: gpt' | sfdisk /dev/sda", "printf 'o\\nw\\n' | fdisk /dev/sda", 'mdadm --zero-superblock /dev/sda1', 'pvremove /dev/sda1'],
    no: ['wipefs /dev/sda', 'shred secret.txt', 'wipefs -an /dev/sda', 'hdparm -I /dev/sda', 'sgdisk -p /dev/sda', 'parted /dev/sda print', 'ddrescue /dev/sda x', 'sfdisk -d /dev/sda', 'fdisk -l /dev/sda', 'fdisk /dev/sda', 'mdadm --detail /dev/md0'],
  },
  {
    id: 'H6', description: 'dd to raw block device', programs: ['dd', 'dcfldd', 'dc3dd'],
    test: (command) => command.elsewhere !== 'container' && writesOf(command).some(({ how, path }) => how === 'option' && (rawDevice.test(path ?? '') || path?.startsWith(`/dev/${hole}`) === true)),
    yes: ['dd of=/dev/nvme0n1 if=x', 'dd if=/dev/zero of=/dev/sda bs=1M', 'sudo dd if=a of="/dev/sdb"', 'dd </dev/zero of=/dev/sda', 'dd if=x of=/dev/$DISK', 'dcfldd if=x of=/dev/sda'],
    no: ['dd if=/dev/sda of=out.img', 'dd if=a of=/dev/null', 'echo dd of=/dev/sda'],
  },
  {
    id: 'H7', description: 'write to raw block device', programs: ['*'],
    test: (command) => command.elsewhere !== 'container' && writesOf(command).some(({ path, how }) => (how === 'redirect' || !passesBy.test(command.program ?? '')) && (rawDevice.test(path ?? '') || path === '/proc/sysrq-trigger')),
    yes: ['cat x > /dev/sda', 'cat x | tee /dev/sdb', 'cp image.iso /dev/sdc', 'echo b > /proc/sysrq-trigger', 'dd < x > /dev/sda', 'tee < x /dev/sda', 'curl -o /dev/sda https://h/x', 'truncate -s 0 /dev/sda', 'sort x -o /dev/sda'],
    no: ['echo x > /dev/null', 'echo "> /dev/sda"', 'cat /dev/sda > image', 'ls 2> /dev/stderr', 'touch /dev/sda', 'ln -s /dev/sda disk'],
  },
  {
    id: 'H8', description: 'fork bomb', programs: ['*'],
    test: (command, analysis) => (command.within !== null && command.program === command.within.toLowerCase() && bombs(command, analysis)) || forksForever(command),
    yes: [':(){ :|:& };:', 'f(){ f | f & }; f', 'bomb() { bomb & bomb & }; bomb', 'perl -e "fork while fork"', "python3 -c 'while True: import os; os.fork()'", "ruby -e 'loop { fork }'"],
    no: ['echo ":(){ :|:& };:"', 'walk(){ for d in */; do walk "$d"; done; }; walk', 'git log | git shortlog &'],
  },
  {
    id: 'H9', description: 'kill all processes', programs: ['kill', 'killall5'],
    test: (command) => command.elsewhere !== 'container' && (command.program === 'killall5' || killsAll(argsOf(command))),
    yes: ['kill -9 -1', 'kill -1', 'kill -s KILL -1', 'kill -n 9 -1', 'kill -TERM -- -1', 'sudo kill -9 1 -1'],
    no: ['kill -9 123', 'kill -1 4711', 'kill -l', 'kill %1', 'kill -9 -123'],
  },
  {
    id: 'H10', description: 'system shutdown/reboot', programs: enders,
    test: (command) => command.elsewhere === false && !namesMachine(command) && powers(command),
    yes: ['shutdown -h now', 'reboot', 'sudo init 0', 'telinit 6', 'systemctl poweroff', 'systemctl --force reboot', 'echo hi\nreboot', '$(reboot)', 'systemctl isolate runlevel6.target', 'ssh localhost reboot', 'ssh root@127.0.0.1 sudo reboot', 'busctl call org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager PowerOff b true', 'Restart-Computer -Force', 'alias x=reboot; x', 'gdbus call --system --dest org.freedesktop.systemd1 --object-path /org/freedesktop/systemd1 --method org.freedesktop.systemd1.Manager.PowerOff', 'busctl call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager StartUnit ss reboot.target replace', 'rtcwake -m off -s 60'],
    no: ['ssh h reboot', 'systemctl -H h reboot', 'launchctl list', 'rtcwake -m mem -s 60', 'busctl call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager RestartUnit ss a.service replace', 'echo reboot', 'grep shutdown log', 'systemctl restart x', 'man reboot', 'shutdown --help', 'init', './reboot.sh', 'last reboot'],
  },
  {
    id: 'H11', description: 'recursive change of permissions of root or system directory', programs: ['chmod', 'chown', 'chgrp', 'chattr', 'setfacl', 'chcon'],
    test: (command) => command.elsewhere !== 'container' && isRecursive(argsOf(command)) && operandsOf(command.words.slice(1)).some(({ text }, at) => at > 0 && isLocked(resolvePath(text, command.cwd))),
    yes: ['chmod -R 000 /', 'chown -R nobody /', 'chattr -R +i /', 'chmod -R 777 /etc', 'sudo chown -R me:me /usr', 'cd / && chmod -R 755 .'],
    no: ['chmod -R 755 /srv/www', 'chown -R me /home/me', 'chown root /', 'chmod -R go-w ~/x', 'chown -R www-data /var/www'],
  },
  {
    id: 'H12', description: 'destruction of a volume', programs: ['lvremove', 'vgremove', 'zpool', 'zfs', 'btrfs'],
    test: (command) => command.elsewhere !== 'container' && destroys(command.program ?? '', argsOf(command)),
    yes: ['lvremove -f vg/lv', 'vgremove -ff vg', 'zpool destroy tank', 'zfs destroy -r tank/home', 'btrfs subvolume delete /', 'sudo btrfs su del /home'],
    no: ['lvremove --help', 'lvremove --test vg/lv', 'zpool status', 'zfs list', 'zfs destroy -n tank/x', 'zfs destroy tank/x@snap', 'btrfs subvolume list /', 'btrfs subvolume delete /srv/snap'],
  },
];

const isLocked = (path: string | null): boolean => path !== null && (isRoot(path) || (isSystemDirectory(path) && !/^\/home/.test(path)));

function destroys(program: string, args: readonly string[]): boolean {
  if (asksOnly(args) || args.some((arg) => /^(?:-t|--test|-[a-z]*n[a-z]*|--dry-run)$/.test(arg))) return false;
  const words = args.filter((arg) => !arg.startsWith('-'));
  if (program === 'zpool') return words[0] === 'destroy';
  // A snapshot is one state of many.
  if (program === 'zfs') return words[0] === 'destroy' && !words.slice(1).some((word) => /[@#]/.test(word));
  if (program === 'btrfs') return /^su/.test(words[0] ?? '') && /^del/.test(words[1] ?? '') && words.slice(2).some((path) => isRoot(path) || isSystemDirectory(path.replace(/(?<=.)\/$/, '')));
  return words.length > 0;
}

function wipes(command: Simple, args: readonly string[]): boolean {
  const program = command.program ?? '';
  const flags = flagsOf(args);
  const has = (...names: string[]): boolean => names.some((name) => flags.includes(name));
  if (program === 'wipefs') return (has('-a') || hasLong(args, '--all', 1)) && !has('-n', '--no-act');
  if (program === 'sgdisk') return has('-Z', '-z', '-o', '--zap', '--zap-all', '--clear');
  if (program === 'sfdisk') return !args.some((arg) => /^(?:-[dlJsFTVvhgn]+|--(?:dump|list\w*|json|show\S*|help|version|verify|no-act|backup\S*))$/.test(arg));
  // Both programs ask before they write when a person types the input; only fed input writes without a question.
  if (program === 'fdisk' || program === 'gdisk') return isFed(command) && !has('-l', '-s', '--list');
  if (program === 'mdadm') return hasLong(args, '--zero-superblock', 4);
  if (program === 'parted') return args.some((arg) => /^(?:mklabel|mktable|rm|resizepart|mkpart)$/.test(arg));
  if (program === 'ddrescue') return rawDevice.test(args.filter((arg) => !arg.startsWith('-'))[1] ?? '');
  if (program === 'badblocks') return has('-w');
  if (program === 'nvme') return /^(?:format|sanitize)$/.test(args[0] ?? '');
  if (program === 'cryptsetup') return args.includes('luksFormat') || args.includes('erase') || args.includes('luksErase');
  if (program === 'hdparm') return args.some((arg) => /^--(?:security-erase|trim-sector|write-sector)/.test(arg));
  return true;
}

/** Its input is a text, not a person. */
const isFed = ({ stage, stdin, redirects }: Simple): boolean => (stage !== null && stage.index > 0) || stdin !== null || redirects.some(({ operator }) => operator.startsWith('<'));

/** Calls itself twice in its own body, with a pipe or in the background. */
function bombs({ within }: Simple, { commands }: Analysis): boolean {
  const calls = commands.filter((each) => each.within === within && each.program === within?.toLowerCase());
  return calls.length > 1 && calls.some(({ background, stage }) => background || stage !== null);
}

const endlessFork = /\bfork\s+while\s+(?:fork|1)\b|(?:\bwhile\b\s*\(?\s*(?:1|[Tt]rue)\b|\bloop\s*(?:\{|do\b)|for\s*\(;;\)|iter\(int,\s*1\))[^]{0,40}\bfork\b|\bfork\b[^]{0,40}iter\(int,/;

function forksForever({ program, words }: Simple): boolean {
  return /^(?:perl|ruby|python[\d.]*)$/.test(program ?? '') && words.some(({ text }) => endlessFork.test(text) && !/\b(?:wait|accept|sleep)/.test(text));
}

function killsAll(args: readonly string[]): boolean {
  if (args.length === 1) return args[0] === '-1';
  const rest = args.slice();
  const first = rest[0] ?? '';
  if (/^-(?:s|n|-signal)$/.test(first)) rest.splice(0, 2);
  else if (/^-/.test(first) && first !== '--') rest.splice(0, 1);
  return rest.includes('-1') || (rest[0] === '--' && rest[1] === '-1');
}

/** `systemctl -H h reboot` */
export function namesMachine({ program, words }: Simple): boolean {
  const option = /^(?:restart|stop)-computer$/.test(program ?? '') ? /^-(?:computername|cn)$/i : /^(?:-[HM]|--(?:host|machine))$/;
  const flag = /^(?:systemctl|loginctl|busctl|(?:restart|stop)-computer)$/.test(program ?? '') ? words.findIndex(({ text }) => option.test(text)) : -1;
  const glued = program === 'systemctl' ? words.flatMap(({ text }) => /^--(?:host|machine)=(.+)$/.exec(text)?.[1] ?? []) : [];
  return machineOf(flag < 0 ? glued[0] : words[flag + 1]?.text) !== false;
}

/** Whether it ends the machine. */
export function powers(command: Simple): boolean {
  const program = command.program ?? '';
  const args = argsOf(command);
  if (asksOnly(args)) return false;
  const words = operandsAfter(args, { short: 'HMtpPnos', long: ['--host', '--machine', '--type', '--property', '--signal', '--message'] });
  if (/^(?:dbus-send|gdbus|busctl|qdbus|varlinkctl)$/.test(program)) return /(?:login1|systemd1|systemd\.Manager|ConsoleKit)[^]*(?:[. ](?:Reboot|PowerOff|Halt|KExec)\b|(?:reboot|poweroff|halt|kexec)\.target)|ConsoleKit[^]*\b(?:Restart|Stop)\b/.test(args.join(' '));
  if (program === 'launchctl' || program === 'dinitctl') return words[0] === 'reboot' || words[0] === 'shutdown';
  if (program === 'rtcwake') return args.some((arg, at) => arg === 'off' && /^(?:-m|--mode)$/.test(args[at - 1] ?? ''));
  if (program === 'init' || program === 'telinit' || program === 'runit-init') return words[0] === '0' || words[0] === '6';
  if (program === 'systemctl' || program === 'loginctl') {
    return /^(?:poweroff|reboot|halt|kexec|soft-reboot)$/.test(words[0] ?? '') || (/^(?:start|isolate)$/.test(words[0] ?? '') && /^(?:poweroff|reboot|halt|kexec|shutdown|ctrl-alt-del|runlevel[06])\.target$/.test(words[1] ?? ''));
  }
  if (program === 'kexec') return args.includes('-e') || args.includes('--exec');
  return program !== 'shutdown' || (!args.includes('-c') && !args.includes('--show'));
}
