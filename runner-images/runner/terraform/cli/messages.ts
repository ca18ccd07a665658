/** Terraform's `-json` stream: parses a line into a message and its text for the log. */
import { z } from 'zod';
import { parseJson } from '#domain/json.ts';
import { observedWords } from '#domain/observed/closed-texts.ts';
import type { CommandResult } from '../../process.ts';
import type { Diagnostic } from './diagnostics.ts';

const Resource = z.object({ addr: observedWords(2000) });
const Word = observedWords(100);

const Message = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('diagnostic'),
    diagnostic: z.object({
      severity: Word,
      summary: observedWords(2000),
      detail: observedWords(20_000).default(''),
      address: observedWords(2000).optional(),
    }),
  }),
  z.object({
    type: z.literal('planned_change'),
    change: z.object({ resource: Resource, action: Word, reason: Word.optional() }),
  }),
  z.object({
    /** Changed by someone else since Terraform created it. */
    type: z.literal('resource_drift'),
    change: z.object({ resource: Resource, action: Word }),
  }),
  z.object({
    type: z.literal('change_summary'),
    changes: z.object({ add: z.number(), change: z.number(), remove: z.number(), operation: Word }),
  }),
  z.object({
    type: z.enum(['apply_start', 'apply_complete', 'apply_errored', 'provision_progress']),
    hook: z.object({
      resource: Resource,
      action: Word.optional(),
      elapsed_seconds: z.number().optional(),
      output: observedWords(20_000).optional(),
    }),
  }),
]);
export type Message = z.infer<typeof Message>;

/** The typed message of a line and what to log of it; other messages have only their words. */
export function readMessage(line: string): { readonly message?: Message; readonly words: string } {
  if (!line.startsWith('{')) return { words: line };
  const raw = parseJson(line);
  if (raw === undefined) return { words: line };
  const words = wordsOf(raw);
  const parsed = Message.safeParse(raw);
  return parsed.success ? { message: parsed.data, words } : { words };
}

function wordsOf(raw: unknown): string {
  const { '@message': message, diagnostic } = z
    .object({ '@message': z.string().default(''), diagnostic: z.object({ detail: z.string() }).partial().optional() })
    .catch({ '@message': '' })
    .parse(raw);
  return diagnostic?.detail ? `${message}\n${diagnostic.detail}` : message;
}

/** The diagnostics among the messages. */
export function diagnosticsOf(messages: readonly Message[]): readonly Diagnostic[] {
  return messages.flatMap((message) =>
    message.type === 'diagnostic'
      ? [
          {
            severity: message.diagnostic.severity,
            summary: message.diagnostic.summary,
            detail: message.diagnostic.detail,
            ...(message.diagnostic.address === undefined ? {} : { address: message.diagnostic.address }),
          },
        ]
      : [],
  );
}

/** The last message of a command, as text also where it printed JSON. */
export function lastWords({ stdout, stderr }: Pick<CommandResult, 'stdout' | 'stderr'>): string {
  if (stderr.trim() !== '') return stderr.trim();
  const lines = stdout.trim().split('\n').slice(-2);
  return lines.map((line) => readMessage(line).words).join('; ');
}
