/** What may be a catastrophe: for some shells, or for some programs. */
import { isCatastrophe, namesCatastrophe } from './named.ts';
import type { Rule } from './rule.ts';

export const possibleRules: readonly Rule[] = [
  {
    id: 'D29', description: 'catastrophe where only some shells run it', programs: ['*'],
    test: (command, analysis) => command.possible && isCatastrophe(command, analysis),
    yes: ['[[ a || reboot ]]', '[[ a && reboot ]]', '((reboot))', '(( 1 || reboot ))', '[[ a || rm -rf / ]]'],
    no: ['reboot', '[[ $x =~ ^(rm|reboot)$ ]]', '[[ $a == reboot || $a == halt ]]', '(( reboots++ ))', '[[ a || -n $reboot ]]'],
  },
  {
    id: 'D29w', description: 'catastrophe among the words of another program', programs: ['*'],
    test: namesCatastrophe,
    yes: ["yt-dlp --exec 'rm -rf /' h", 'wget --use-askpass=/sbin/reboot h', 'x --pager=reboot', "x --up 'sh -c reboot'", "CC='rm -rf /' make", 'RSYNC_RSH=reboot rsync a h:b', 'y exec -- /sbin/reboot', 'x -e reboot', 'rclone --password-command=reboot ls x:', "convert '|reboot' x", 'bwrap --bind / / reboot'],
    no: ['npm run reboot', 'pytest -k reboot', 'apt install shutdown', 'make halt', 'man reboot', "python3 x.py --help 'rm -rf /'", "x --title='rm -rf /'", 'grep -e reboot f', "echo 'rm -rf /'", "claude -p 'never run rm -rf /'", 'npm test -- shutdown', "CMD='rm -rf /'", 'x --name=reboot', "git commit -m 'rm -rf /'", 'docker exec c reboot'],
  },
];
