/** A command as a hook gets it, and as a hook has changed it. Pure. */
import { given } from '../../lib/given.ts';
import { textOf } from '../binding.ts';
import { type Call, readable, type Subject } from '../call.ts';
import type { HookPayload } from './types.ts';

export function toolOf(subject: Subject): string {
  if (subject.kind === 'file') return subject.tool;
  return subject.kind === 'code' ? 'execute_code' : 'terminal';
}

export function payloadOf(call: Call): HookPayload {
  const { subject, taskId, cwd, user, execId, backend, reach, envNames } = call;
  return {
    hook_event_name: 'pre_tool_call',
    tool_name: toolOf(subject),
    tool_input: inputOf(call),
    session_id: taskId,
    cwd,
    extra: { exec_id: execId, backend, reach, ...given({ user }), env_names: envNames },
  };
}

function inputOf(call: Call): HookPayload['tool_input'] {
  const { subject } = call;
  if (subject.kind === 'file') return { path: subject.paths[0], paths: subject.paths };
  if (subject.kind === 'code') return { code: subject.text, language: subject.language };
  const command = readable(subject);
  return typeof command === 'string' ? { command } : { command: textOf(call), argv: command };
}

/** `null`: it is nothing that could be run. Text where an argument vector was is text for a shell. */
export function modified(subject: Subject, input: Readonly<Record<string, unknown>>): Subject | null {
  const { command, argv } = input;
  if (subject.kind === 'argv' && isArgv(argv)) return { kind: 'argv', argv };
  if (typeof command !== 'string' || command.trim() === '') return null;
  if (subject.kind === 'text') return { kind: 'text', text: command };
  if (subject.kind === 'code' || subject.kind === 'file') return null;
  const shell = typeof readable(subject) === 'string' ? subject.argv[0] : 'sh';
  return { kind: 'argv', argv: [shell, '-c', command] };
}

function isArgv(value: unknown): value is readonly [string, ...string[]] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string') && value[0] !== '';
}
