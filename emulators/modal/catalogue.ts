/** The control plane, apart from sandboxes: tokens, apps, images, secrets. */
import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import type { Calls } from './calls.ts';
import type { Images } from './images.ts';
import type * as M from './messages.ts';
import { need, Refusal } from './refuse.ts';
import type { Service } from './service.ts';

const clientTokenMs = 20 * 60 * 1000;
const success = { status: 1, exception: '', exitcode: 0 };

export function catalogue(service: Service, calls: Calls): UntypedServiceImplementation {
  const { images, tokens } = service;
  return {
    AuthTokenGet: calls.unary('AuthTokenGet', async () => ({ token: tokens.issue('client', clientTokenMs) })),
    EnvironmentGetOrCreate: calls.unary('EnvironmentGetOrCreate', async () => ({
      environmentId: 'en-main',
      metadata: { name: 'main', settings: { imageBuilderVersion: '2025.06', webhookSuffix: '' } },
    })),
    AppGetOrCreate: calls.unary('AppGetOrCreate', async (request: M.AppRequest) => ({
      appId: appOf(service, request),
    })),
    ImageGetOrCreate: calls.unary('ImageGetOrCreate', async ({ image, appId, builderVersion }: M.ImageRequest) => {
      need(appId, 'app_id');
      need(builderVersion, 'builder_version');
      const found = await images.ofRecipe(image?.dockerfileCommands ?? []);
      return { imageId: found.id, ...(found.isBuilt ? { result: success } : {}) };
    }),
    ImageJoinStreaming: calls.stream('ImageJoinStreaming', buildOf(images)),
    ImageFromId: calls.unary('ImageFromId', async ({ imageId }: M.ImageById) => ({
      imageId: images.present(imageId).id,
    })),
    ImageDelete: calls.unary('ImageDelete', async ({ imageId }: M.ImageById) => {
      await images.remove(imageId);
      return {};
    }),
    SecretGetOrCreate: calls.unary('SecretGetOrCreate', async ({ envDict }: { envDict: Record<string, string> }) => {
      const secretId = `st-${service.secrets.size + 1}`;
      service.secrets.set(secretId, envDict);
      return { secretId };
    }),
  };
}

function appOf({ apps }: Service, { appName, objectCreationType }: M.AppRequest): string {
  const known = apps.get(need(appName, 'app_name'));
  if (known !== undefined) return known;
  if (objectCreationType !== 1) throw new Refusal('NOT_FOUND', `there is no app ${appName.slice(0, 80)}`);
  const id = `ap-${apps.size + 1}`;
  apps.set(appName, id);
  return id;
}

/** A build ends with a result: without one, the SDK would ask again at once. */
function buildOf(images: Images) {
  return async function* ({ imageId }: M.ImageById): AsyncGenerator<object> {
    const image = images.present(imageId);
    yield { entryId: '1-0', taskLogs: [{ data: '=> the programs of this machine are the image\n' }] };
    image.isBuilt = true;
    yield { entryId: '2-0', result: success, eof: true };
  };
}
