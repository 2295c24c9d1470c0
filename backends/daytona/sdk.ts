/** The official SDK. It takes a second to load and is an optional package: this is the only file that imports it, when it is used. */
import type { Daytona, Sandbox } from '@daytonaio/sdk';
import type * as Sdk from '@daytonaio/sdk';
import { CaissonError } from '../../src/errors.ts';

export type Client = Daytona;
export type Handle = Sandbox;

const pinned = '0.218.0';

export interface Access {
  readonly apiKey: string;
  readonly apiUrl: string;
  readonly target: string;
}

const requestTimeoutMs = 120_000;

/** All that says where it leads and who we are is passed here, so that no file of a working directory can change it. */
export async function openClient(access: Access): Promise<Client> {
  const { Daytona } = await load();
  // oxlint-disable-next-line typescript/no-deprecated -- attempts of the SDK to reach a server of events keep the process alive
  return new Daytona({ ...access, requestTimeoutMs, useDeprecatedPolling: true, otelEnabled: false });
}

async function load(): Promise<typeof Sdk> {
  try {
    return await import('@daytonaio/sdk');
  } catch (error) {
    throw new CaissonError('failed_precondition', 'the SDK of Daytona is not installed', {
      cause: error,
      remedy: `install it beside Caisson: npm install @daytonaio/sdk@${pinned}`,
    });
  }
}
