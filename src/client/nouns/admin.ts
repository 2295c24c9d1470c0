/** Nouns of the whole installation: images, backends, access, MCP servers. */
import type {
  AccessApi,
  AccountItem,
  BackendCheck,
  BackendsApi,
  Check,
  Hearing,
  ImagesApi,
  ImageView,
  McpServersApi,
} from '../../service/api.ts';
import { CaissonError, isCode, toCaissonError } from '../../errors.ts';
import { access, pairing } from '../../service/verbs/access.ts';
import { backends } from '../../service/verbs/backends.ts';
import { images } from '../../service/verbs/images.ts';
import { mcpServers } from '../../service/verbs/mcp-servers.ts';
import { segment } from '../wire/path.ts';
import { listed, shaped } from '../wire/shape.ts';
import type { Wire } from '../wire/wire.ts';
import { made } from './made.ts';

export function imagesOf(wire: Wire): ImagesApi {
  const { method, path } = images.list;
  const list: ImagesApi['list'] = async ({ backend } = {}, { signal } = {}) => {
    const all = listed<ImageView>(await wire.json({ method, path, signal }), { backend: 'text', id: 'text' });
    return backend === undefined ? all : all.filter((image) => image.backend === backend);
  };
  return made(wire, 'images', { rows: images, byHand: { list } });
}

export function backendsOf(wire: Wire): BackendsApi {
  const at = (name: string, what: string): string => `/v1/backends/${segment(name)}/${what}`;
  const byHand: Omit<BackendsApi, 'hostKeys'> = {
    check: async (names, { signal } = {}) => {
      const all = listed<Check & Pick<BackendCheck, 'backend'> & Partial<Pick<BackendCheck, 'module' | 'degraded'>>>(
        await wire.json({ method: 'GET', path: '/v1/backends', signal }),
        { backend: 'text', status: 'text', summary: 'text' },
      );
      checkNames(
        names ?? [],
        all.map(({ backend }) => backend),
      );
      const wanted = names === undefined ? all : all.filter(({ backend }) => names.includes(backend));
      // Without the scope admin, the service says neither facts nor findings.
      return wanted.map(({ backend, module = null, degraded = [], facts = {}, findings = [], ...check }) => ({
        backend,
        module,
        degraded,
        check: { ...check, facts, findings },
      }));
    },
    account: async (names, { signal } = {}) => {
      const asked = names.map(async (backend) => {
        try {
          const items = listed<AccountItem>(await wire.json({ method: 'GET', path: at(backend, 'account'), signal }), {
            name: 'text',
          });
          return [{ backend, items, error: null }];
        } catch (error) {
          if (isCode(error, 'not_supported')) return [];
          if (isCode(error, 'unavailable')) return [{ backend, items: [], error: toCaissonError(error).message }];
          throw error;
        }
      });
      return (await Promise.all(asked)).flat();
    },
    confirmHostKey: async (backend, { host, fingerprint }, { signal } = {}) => {
      await wire.json({ method: 'POST', path: at(backend, 'host-keys'), body: { host, fingerprint }, signal });
    },
  };
  return made(wire, 'backends', { rows: backends, byHand });
}

/** Throws `invalid_argument` for a backend that the service does not have, as the library does. */
function checkNames(wanted: readonly string[], known: readonly string[]): void {
  for (const name of wanted)
    if (!known.includes(name))
      throw new CaissonError('invalid_argument', `there is no backend ${JSON.stringify(name)}`, {
        remedy: `choose one of ${known.join(', ')}`,
      });
}

export function accessOf(wire: Wire): AccessApi {
  const { method, path } = access.message;
  const heard = async (body: object): Promise<Hearing & { readonly conversation?: string }> =>
    shaped<Hearing & { readonly conversation?: string }>(await wire.json({ method, path, body }), { what: 'text' });
  const message: AccessApi['message'] = async (given) => {
    const { conversation: _, ...hearing } = await heard(given);
    return hearing;
  };
  const conversation: AccessApi['conversation'] = async (given) => {
    const { conversation: found } = await heard({ addressed: 'command', ...given });
    if (found !== undefined) return found;
    throw new CaissonError('permission_denied', 'the message is not for the agent, and belongs to no conversation');
  };
  const byHand = { message, conversation, pairing: made(wire, 'access.pairing', { rows: pairing, byHand: {} }) };
  return made(wire, 'access', { rows: access, byHand });
}

export function mcpServersOf(wire: Wire): McpServersApi {
  const { method, path } = mcpServers.names;
  const names: McpServersApi['names'] = async () =>
    shaped<{ readonly items: readonly unknown[] }>(await wire.json({ method, path }), { items: 'list' }).items.map(
      String,
    );
  return made(wire, 'mcpServers', { rows: mcpServers, byHand: { names } });
}
