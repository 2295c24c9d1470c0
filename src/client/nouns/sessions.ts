import type { SessionEnd, SessionInput, SessionResult, SessionStart, SessionView } from '../../service/api.ts';
import { sessions } from '../../service/verbs/sessions.ts';
import { heard } from '../../exec/heard.ts';
import { runCollected } from '../exec/collect.ts';
import { checkedExecId, newExecId } from '../exec/ids.ts';
import { startExec } from '../exec/start.ts';
import type { ClientSessionsApi } from '../types.ts';
import type { LineObject } from '../wire/lines.ts';
import { segment } from '../wire/path.ts';
import { listed, shaped } from '../wire/shape.ts';
import type { Wire } from '../wire/wire.ts';
import { made } from './made.ts';

const at = (taskId: string): string => `/v1/sandboxes/${segment(taskId)}/sessions`;
const [shape] = sessions.list.gives;

export function sessionsOf(wire: Wire): ClientSessionsApi {
  const byHand: Pick<ClientSessionsApi, 'exec' | 'run'> = {
    exec: async ({ taskId, name, execId = newExecId(), ...body }: SessionInput, options = {}) => {
      const path = `${at(taskId)}/${segment(name)}/execs`;
      const wanted = { path, execId: checkedExecId(execId), body, stdin: false, tty: false };
      const { running, first, last } = await startExec(wire, wanted, options);
      const session = last.then((event) => endIn(wire, event, { taskId, name }));
      return heard({ ...running, ...startIn(first), session }, options);
    },
    run: async ({ taskId, name, execId = newExecId(), ...body }: SessionInput, options) => {
      const path = `${at(taskId)}/${segment(name)}/execs`;
      return await runCollected<SessionResult>(
        wire,
        { path, execId: checkedExecId(execId), body, input: null },
        options,
      );
    },
  };
  return made(wire, 'sessions', { rows: sessions, byHand });
}

function startIn({ placed }: LineObject): SessionStart {
  const session: unknown = Reflect.get(Object(placed), 'session');
  if (session === undefined) return { restored: false, lost: [] };
  return shaped<SessionStart>(session, { restored: 'flag', lost: 'list' });
}

/** After a lost connection the end of the text is known from its record, which does not have that of the shell: it is asked for. */
async function endIn(
  wire: Wire,
  last: LineObject | null,
  { taskId, name }: { readonly taskId: string; readonly name: string },
): Promise<SessionEnd> {
  const said = last?.['session'];
  if (said !== undefined) return shaped<SessionEnd>(said, { sessionEnded: 'flag', endStatus: 'number?' });
  const found = await wire.json({ method: 'GET', path: at(taskId) }).then(
    (value) => listed<SessionView>(value, shape),
    () => [],
  );
  return { sessionEnded: found.find((each) => each.name === name)?.open !== true, endStatus: null };
}
