/** `/approvals/{id}`: a person answers a question in a browser, with a token of their own. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CaissonError, isCode } from '../../errors.ts';
import type { CaissonApi, Choice, TokenView } from '../../service/api.ts';
import { apiOf } from '../../service/owned.ts';
import { checkScope } from '../admit.ts';
import { HttpRefusal, problemOf, httpError } from '../problems.ts';
import { cookieOf, loginIn, Logins } from './logins.ts';
import { donePage, loginPage, pageHeaders, questionPage } from './page.ts';
import type { Service } from '../types.ts';

export const approvalPagePath = '/approvals/:approvalId';

const maxFormBytes = 4096;
const id = /^apr_[0-9a-f]{24}$/;

/** In a scope of its own: no other route takes forms. */
export async function mountApprovalPage(app: FastifyInstance, service: Service): Promise<void> {
  const logins = new Logins(() => performance.now());
  await app.register(async (pages) => {
    const type = 'application/x-www-form-urlencoded';
    const options = { parseAs: 'string' as const, bodyLimit: maxFormBytes };
    pages.addContentTypeParser<string>(type, options, (_request, body, done) => done(null, new URLSearchParams(body)));
    pages.get(approvalPagePath, async (request, reply) => await show({ request, reply, service, logins }));
    pages.post(approvalPagePath, async (request, reply) => await take({ request, reply, service, logins }));
    return await Promise.resolve();
  });
}

interface Visit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly service: Service;
  readonly logins: Logins;
}

async function show(visit: Visit): Promise<unknown> {
  const approvalId = approvalIn(visit.request);
  const person = await personOf(visit);
  if (person === null) return await send(visit.reply, 200, loginPage());
  return await shown(visit, person, approvalId);
}

async function take(visit: Visit): Promise<unknown> {
  const approvalId = approvalIn(visit.request);
  const { body } = visit.request;
  const form = body instanceof URLSearchParams ? body : new URLSearchParams();
  const token = form.get('token');
  if (token !== null) return await logIn(visit, token);
  const person = await personOf(visit);
  if (person === null) return await send(visit.reply, 401, loginPage('This page is only valid for five minutes.'));
  return await answer(visit, { person, approvalId, choice: form.get('choice') });
}

async function logIn({ request, reply, service, logins }: Visit, text: string): Promise<unknown> {
  const token = await service.api.tokens.authenticate(text.trim());
  if (token === null) {
    const waitSeconds = service.strangers.count(request.ip);
    if (waitSeconds !== null)
      throw new HttpRefusal(429, httpError(429, 'too many wrong tokens came from this address'), {
        'retry-after': String(waitSeconds),
      });
    return await send(reply, 401, loginPage('This token does not hold.'));
  }
  await service.api.tokens.admit(token);
  if (!token.scopes.includes('approve'))
    return await send(reply, 403, loginPage('This token has not the scope approve.'));
  const secure = request.protocol === 'https';
  return await reply.header('set-cookie', cookieOf(logins.open(text.trim()), { secure })).redirect(request.url, 303);
}

interface Person {
  readonly token: TokenView;
  readonly api: CaissonApi;
  readonly login: string;
}

/** Finds the person by the cookie of the request. The token of the login is looked up anew. */
async function personOf({ request, service, logins }: Visit): Promise<Person | null> {
  const login = loginIn(request.headers.cookie);
  const text = login === null ? null : logins.tokenOf(login);
  const token = text === null ? null : await service.api.tokens.authenticate(text);
  if (login === null || token === null) return null;
  await service.api.tokens.admit(token);
  checkScope(token, 'approve');
  return { token, api: apiOf(service.api, token), login };
}

async function shown(
  { request, reply }: Visit,
  { api }: Person,
  approvalId: string,
  problem: string | null = null,
): Promise<unknown> {
  try {
    return await send(reply, problem === null ? 200 : 403, questionPage(await api.approvals.get(approvalId), problem));
  } catch (error) {
    if (!isCode(error, 'not_found')) throw error;
    return await send(reply, 404, donePage(problemOf(error, request.id).detail));
  }
}

interface Answer {
  readonly person: Person;
  readonly approvalId: string;
  readonly choice: string | null;
}

const choices: readonly Choice[] = ['once', 'session', 'always', 'deny'];

async function answer(visit: Visit, { person, approvalId, choice: text }: Answer): Promise<unknown> {
  const { request, reply, logins } = visit;
  const choice = choices.find((each) => each === text);
  if (choice === undefined) throw new CaissonError('invalid_argument', 'there is no such answer');
  try {
    await person.api.approvals.answer(approvalId, choice, `${person.token.name} (${person.token.id})`);
  } catch (error) {
    return await shown(visit, person, approvalId, problemOf(error, request.id).detail);
  }
  logins.end(person.login);
  void reply.header('set-cookie', cookieOf(null, { secure: request.protocol === 'https' }));
  return await send(reply, 200, donePage(choice === 'deny' ? 'The command is refused.' : 'The command may run.'));
}

function approvalIn({ params }: FastifyRequest): string {
  const given: unknown = Reflect.get(Object(params), 'approvalId');
  if (typeof given !== 'string' || !id.test(given)) throw httpError(404, 'there is no such route');
  return given;
}

const send = (reply: FastifyReply, status: number, html: string): FastifyReply =>
  reply.code(status).headers(pageHeaders).send(html);
