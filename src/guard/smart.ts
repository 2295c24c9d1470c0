/** Mode `smart`: a model is asked first. It can spare a human a question, and never loosens what rules refuse or ask. */
import { createRequire } from 'node:module';
import type OpenAI from 'openai';
import { remembered } from '../lib/remembered.ts';
import { isReviewable, readReview, type Review, reviewPolicy, reviewText } from '../policy/approval/review.ts';
import type { Finding } from '../policy/types.ts';
import { Redaction } from '../redact/redactor.ts';
import { given } from '../lib/given.ts';

export interface SmartInput {
  readonly baseUrl: string;
  readonly model: string;
  /** `null`: the endpoint wants none. */
  readonly apiKey: string | null;
  /** Refusals in a row after which it is not asked any more. 0: it always is. */
  readonly denialsInRow: number;
}

/** The client is an optional peer of the package: it is larger than all the rest. */
export function isClientInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('openai');
    return true;
  } catch {
    return false;
  }
}

/** A word takes a moment; who waits longer is better off with a human. */
const timeoutMs = 15_000;
const maxTokens = 16;

export class SmartReview {
  readonly #input: SmartInput;
  readonly #client = remembered(() => this.#open());
  #denials = 0;

  constructor(input: SmartInput) {
    this.#input = input;
  }

  /** Never throws but when the signal fires: what goes wrong is a question for a human. */
  async review(command: string, findings: readonly Finding[], signal: AbortSignal | undefined): Promise<Review> {
    const { denialsInRow } = this.#input;
    const isOpen = denialsInRow === 0 || this.#denials < denialsInRow;
    if (!isOpen || !isReviewable(command, findings)) return 'escalate';
    const review = await this.#ask(command, findings, signal).catch(() => 'escalate' as const);
    this.#denials = review === 'deny' ? this.#denials + 1 : 0;
    return review;
  }

  async #ask(command: string, findings: readonly Finding[], signal: AbortSignal | undefined): Promise<Review> {
    const client = await this.#client();
    const seen = new Redaction().text(command);
    const answer = await client.chat.completions.create(
      {
        model: this.#input.model,
        temperature: 0,
        // oxlint-disable-next-line typescript/no-deprecated -- its successor is unknown to most endpoints
        max_tokens: maxTokens,
        messages: [
          { role: 'system', content: reviewPolicy },
          { role: 'user', content: reviewText(seen, findings) },
        ],
      },
      given({ signal }),
    );
    return readReview(answer.choices[0]?.message.content);
  }

  /** Nothing of the environment is read by the library itself. */
  async #open(): Promise<OpenAI> {
    const { OpenAI: Client } = await import('openai');
    return new Client({
      baseURL: this.#input.baseUrl,
      apiKey: this.#input.apiKey ?? 'none',
      organization: null,
      project: null,
      timeout: timeoutMs,
      maxRetries: 0,
      logLevel: 'off',
    });
  }
}
