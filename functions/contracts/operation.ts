/** What an operation of the API takes and answers, and the shapes that most of them share. */
import type { z } from 'zod';

export interface Answer {
  readonly description: string;
  /** @default no body */
  readonly schema?: z.ZodType;
  /** @default application/json */
  readonly media?: string;
  readonly headers?: z.ZodObject;
}

export interface Operation {
  readonly tag: string;
  readonly summary: string;
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  /** Without `schema`: a document as YAML or JSON. */
  readonly body?: { readonly description: string; readonly required: boolean; readonly schema?: z.ZodType };
  readonly answers: Readonly<Record<number, Answer>>;
  /** Statuses of problems it can answer with, beside our own faults. */
  readonly problems: readonly number[];
}

export const ok = (description: string, schema?: z.ZodType): Readonly<Record<number, Answer>> => ({
  200: { description, ...(schema && { schema }) },
});
export const document = (description: string, required = true) => ({ description, required });
