import { asset } from '../../lib/asset.ts';
import { defineCommand } from '../command.ts';
import { readChoice } from '../values.ts';

const scripts = { bash: 'bash.bash', zsh: 'zsh.zsh', fish: 'fish.fish' } as const;

export const completion = defineCommand({
  name: 'completion',
  summary: 'Print the completion script of a shell',
  about: `SHELL is bash, zsh or fish. The scripts ask "completion words" for what may follow: commands,
options, and names of tasks and backends.`,
  operands: [{ name: 'SHELL', count: 'one' }],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['in ~/.bashrc: source <(caisson completion bash)', 'completion bash'],
    ['in ~/.zshrc, after compinit: source <(caisson completion zsh)', 'completion zsh'],
    ['for fish: caisson completion fish > ~/.config/fish/completions/caisson.fish', 'completion fish'],
  ],
  run: async (given, context) => {
    const [shell = ''] = given.operands;
    const name = readChoice('SHELL', shell, ['bash', 'zsh', 'fish']);
    await context.print(asset(`src/cli/completion/${scripts[name]}`));
    return 0;
  },
});
