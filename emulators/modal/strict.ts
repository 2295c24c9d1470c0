/**
 * Fields that a message has and its definition does not. A decoder skips them, so that a request which means more than the
 * emulator does would pass unseen.
 */
import { isRecord } from './record.ts';

const wireTypes = { varint: 0, fixed64: 1, lengths: 2, fixed32: 5 } as const;

/** A field of a message, as a descriptor.proto has it. */
interface Field {
  readonly number: number;
  readonly typeName: string;
}

/** Messages by the last part of their name, which is unique in the definitions here. */
export class Definitions {
  readonly #fields = new Map<string, ReadonlyMap<number, Field>>();

  /** `descriptor`: a DescriptorProto as an object. */
  add(descriptor: unknown): void {
    if (!isRecord(descriptor)) return;
    const fields = listOf(descriptor['field']).map(fieldOf);
    this.#fields.set(String(descriptor['name']), new Map(fields.map((field) => [field.number, field])));
    for (const nested of listOf(descriptor['nestedType'])) this.add(nested);
  }

  /** The path to the first unknown field, by numbers; `null` when all are known. */
  unknownIn(bytes: Buffer, message: string): string | null {
    const known = this.#fields.get(lastPart(message));
    if (known === undefined) return null;
    for (const { number, body } of fieldsOf(bytes)) {
      const field = known.get(number);
      if (field === undefined) return `${lastPart(message)}.${number}`;
      const within = body === null || field.typeName === '' ? null : this.unknownIn(body, field.typeName);
      if (within !== null) return within;
    }
    return null;
  }
}

function fieldOf(field: unknown): Field {
  const found = isRecord(field) ? field : {};
  const typeName = typeof found['typeName'] === 'string' ? found['typeName'] : '';
  return { number: Number(found['number']), typeName };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** Fields in the wire format of protocol buffers; `body` is the content of fields with a length. */
function* fieldsOf(bytes: Buffer): Generator<{ readonly number: number; readonly body: Buffer | null }> {
  let at = 0;
  while (at < bytes.length) {
    const tag = varint(bytes, at);
    at = tag.next;
    const [number, type] = [Number(tag.value >> 3n), Number(tag.value & 7n)];
    if (type === wireTypes.lengths) {
      const length = varint(bytes, at);
      const end = length.next + Number(length.value);
      yield { number, body: bytes.subarray(length.next, end) };
      at = end;
      continue;
    }
    yield { number, body: null };
    if (type === wireTypes.varint) at = varint(bytes, at).next;
    else if (type === wireTypes.fixed64) at += 8;
    else if (type === wireTypes.fixed32) at += 4;
    else return;
  }
}

function varint(bytes: Buffer, from: number): { readonly value: bigint; readonly next: number } {
  let value = 0n;
  for (let index = 0; from + index < bytes.length; index += 1) {
    const byte = bytes[from + index] ?? 0;
    value |= BigInt(byte & 127) << BigInt(7 * index);
    if (byte < 128) return { value, next: from + index + 1 };
  }
  return { value, next: bytes.length };
}
