/** Rules for dangerous commands of Windows and PowerShell. */
import type { Simple } from '../../shell/types.ts';
import { argsOf, type Rule } from './rule.ts';

const has = (command: Simple, pattern: RegExp): boolean => argsOf(command).some((arg) => pattern.test(arg));

export const windowsRules: readonly Rule[] = [
  { id: 'D25d', description: 'Windows recursive delete', programs: ['del', 'erase', 'rd', 'rmdir', 'remove-item', 'ri'], test: (command) => has(command, /^\/s$/i) || (/^(?:del|erase)$/.test(command.program ?? '') && has(command, /^\/f$/i)) || (/^(?:remove-item|ri)$/.test(command.program ?? '') && has(command, /^-(?:r|rec\w*|fo\w*)$/i)), yes: ['del /s /q x', 'cmd.exe /c del /f /q C:\\x', 'powershell.exe Remove-Item -Recurse x', 'rd /s x', 'Remove-Item -Recurse -Force x'], no: ['rmdir x', 'rmdir -p a/b', 'Remove-Item x'] },
  { id: 'D25f', description: 'Windows disk format', programs: ['format', 'diskpart', 'format-volume', 'clear-disk'], test: (command) => command.program !== 'format' || has(command, /^[a-z]:$/i), yes: ['format C:', 'diskpart', 'Clear-Disk 1'], no: ['format x.json', 'format-check'] },
  { id: 'D25e', description: 'encoded or downloaded PowerShell', programs: ['powershell', 'pwsh', 'iex', 'invoke-expression'], test: (command) => (/^(?:iex|invoke-expression)$/.test(command.program ?? '') && !has(command, /^-S$|\.exs?$/)) || has(command, /^[-/]e(?:c|nc\w*)?$/i), yes: ['powershell -EncodedCommand abc', 'iwr http://h/x | iex', 'Invoke-Expression x'], no: ['pwsh --version', 'iex -S mix'] },
  { id: 'D25k', description: 'Windows force kill', programs: ['taskkill', 'stop-process'], test: (command) => has(command, /^(?:\/?\/f|-force)$/i), yes: ['taskkill /F /IM x.exe', 'Stop-Process -Force -Id 1'], no: ['taskkill /IM x', 'tasklist'] },
  {
    id: 'D25s', description: 'Windows system change', programs: ['icacls', 'vssadmin', 'reg', 'sc', 'bcdedit', 'wmic', 'cipher', 'net', 'stop-service', 'schtasks', 'wbadmin'],
    test: (command) => {
      const [first = ''] = argsOf(command);
      if (command.program === 'stop-service') return true;
      if (command.program === 'schtasks') return has(command, /^\/delete$/i);
      if (command.program === 'net') return /^stop$/i.test(first) || has(command, /^\/(?:delete|add)$/i);
      if (command.program === 'icacls') return has(command, /everyone|\*S-1-1-0/i) && has(command, /grant/i);
      if (command.program === 'cipher') return has(command, /^\/w/i);
      if (command.program === 'wmic') return has(command, /^delete$/i);
      return command.program === 'bcdedit' || /^(?:delete|stop)$/i.test(first);
    },
    yes: ['icacls x /grant Everyone:F', 'vssadmin delete shadows', 'reg delete HKLM', 'sc stop x', 'net stop x', 'Stop-Service x', 'schtasks /delete /tn x'],
    no: ['net start', 'schtasks /query', 'reg query HKLM', 'sc query', 'icacls x'],
  },
];
