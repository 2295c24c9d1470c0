/** Both services as their definitions have them, with requests that are read strictly. */
import type { ServiceDefinition } from '@grpc/grpc-js';
import { loadSync, type PackageDefinition, type ServiceDefinition as LoadedService } from '@grpc/proto-loader';
import { assetPath } from '../../src/lib/asset.ts';
import { isRecord } from './record.ts';
import { Refusal } from './refuse.ts';
import { Definitions } from './strict.ts';

/** Also for a test that compares the definitions with the codecs of the SDK. */
export const definitionFiles = ['control-plane', 'router'].map((name) => `emulators/modal/${name}.proto`);

/** Unknown fields by request: an error that is thrown while it is read would reach the client as one of the service. */
const unknownFields = new WeakMap<object, string>();

/** Throws for a request that means more than the emulator does. */
export function refuseUnknown(request: object): void {
  const field = unknownFields.get(request);
  if (field !== undefined) throw new Refusal('INVALID_ARGUMENT', `the emulator does not know the field ${field}`);
}

export interface Wire {
  readonly controlPlane: ServiceDefinition;
  readonly router: ServiceDefinition;
}

export function loadWire(): Wire {
  const loaded = loadDefinitions();
  const definitions = new Definitions();
  for (const entry of Object.values(loaded)) if (isMessage(entry)) definitions.add(entry.type);
  return {
    controlPlane: strict(loaded['modal.client.ModalClient'], definitions),
    router: strict(loaded['modal.task_command_router.TaskCommandRouter'], definitions),
  };
}

export function loadDefinitions(): PackageDefinition {
  return loadSync(definitionFiles.map(assetPath), {
    keepCase: false,
    longs: Number,
    enums: Number,
    defaults: true,
    oneofs: true,
  });
}

function isMessage(entry: unknown): entry is { readonly type: unknown } {
  return isRecord(entry) && typeof entry['format'] === 'string';
}

function strict(service: PackageDefinition[string] | undefined, definitions: Definitions): ServiceDefinition {
  const methods: Record<string, ServiceDefinition[string]> = {};
  for (const [name, method] of Object.entries(isService(service) ? service : {})) {
    const { requestDeserialize } = method;
    const message = requestName(method);
    methods[name] = {
      ...method,
      requestDeserialize: (bytes: Buffer) => {
        const request: unknown = requestDeserialize(bytes);
        const unknown = definitions.unknownIn(bytes, message);
        if (unknown !== null && isRecord(request)) unknownFields.set(request, unknown);
        return request;
      },
    };
  }
  return methods;
}

function isService(entry: PackageDefinition[string] | undefined): entry is LoadedService {
  return entry !== undefined && !isMessage(entry);
}

function requestName(method: unknown): string {
  const type = isRecord(method) && isRecord(method['requestType']) ? method['requestType']['type'] : null;
  return isRecord(type) ? String(type['name']) : '';
}
