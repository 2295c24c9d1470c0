/** What the hardline would refuse, if it could know where it happens: asked about wherever the hardline holds. */
import { asksOnly, enders, formats, formatters, namesMachine, powers } from './hardline.ts';
import { argsOf, type Rule } from './rule.ts';

export const unsureRules: readonly Rule[] = [
  {
    id: 'D9r', description: 'shutdown/reboot of another machine', programs: enders,
    test: (command) => (command.elsewhere === 'machine' || (command.elsewhere === false && namesMachine(command))) && powers(command),
    yes: ['ssh h reboot', "ssh -t me@h 'sudo reboot'", 'ssh h <<E\nreboot\nE', "vagrant ssh -c 'sudo reboot'", 'systemctl -H h reboot', 'systemctl --host=h poweroff', 'ansible web -a reboot', 'ssh "$host" shutdown -h now', 'Restart-Computer -ComputerName h'],
    no: ['reboot', 'ssh localhost reboot', 'ssh h uptime', 'ssh h last reboot', 'docker exec c reboot', 'systemctl -H h status x'],
  },
  {
    id: 'D5f', description: 'format of a file, or of what is not known', programs: formatters,
    test: (command) => command.elsewhere !== 'container' && !asksOnly(argsOf(command)) && argsOf(command).length > 0 && !formats(command),
    yes: ['mkfs.ext4 disk.img', 'mkfs -t vfat "$image"', 'mkfs.ext4 /dev/loop0', 'ls | xargs mkfs.ext4'],
    no: ['mkfs.ext4 --help', 'mkfs', 'mkfs.ext4 /dev/sdb', 'command -v mkfs.ext4', 'docker exec c mkfs.ext4 x.img'],
  },
];
