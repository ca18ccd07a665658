/** Names, references and maps of text that several parts of a manifest share. Messages read `<reason>; <fix>`. */
import { z } from 'zod';

const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const qualifiedName =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const longestPrefix = 253;
const labelValue = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

/** A name by DNS rules (RFC 1123 label) of at most `limit` characters. */
export function dnsName(limit: number): z.ZodString {
  return atMost(limit).regex(dnsLabel, {
    error: (issue) =>
      `${shown(issue.input)} is not a DNS name; use lower-case letters, digits and "-", beginning and ending with a letter or digit${suggestion(issue.input, limit)}`,
  });
}

/** A name whose `dnsForm` is a DNS name: capitals and `_` are allowed. */
function foldedName(limit: number): z.ZodString {
  return atMost(limit).regex(/^[A-Za-z0-9]([-\w]*[A-Za-z0-9])?$/, {
    error: (issue) =>
      `${shown(issue.input)} is not a name; use letters, digits, "-" and "_", beginning and ending with a letter or digit${suggestion(issue.input, limit)}`,
  });
}

function atMost(limit: number): z.ZodString {
  return z.string().max(limit, {
    error: (issue) =>
      `${shown(issue.input)} has ${String(issue.input).length} characters, at most ${limit} are allowed; shorten it`,
  });
}

export const ProviderName = dnsName(15);
/** 15, not more: cluster (28) + hash (8) + pool + hash (8) + node (3) + the dash between must fit into a host name of 63. */
export const NodePoolName = foldedName(15);
export const ClusterName = dnsName(28);
/** It names a section of the load balancer's configuration and nothing in any cloud, so capitals and `_` are allowed. */
export const RoleName = z
  .string()
  .max(63, { error: 'has more than 63 characters; shorten it' })
  .regex(/^[A-Za-z0-9]([-\w.]*[A-Za-z0-9])?$/, {
    error: (issue) =>
      `${shown(issue.input)} is not a name; use letters, digits, "-", "_" and ".", beginning and ending with a letter or digit`,
  });

/** False for text that would move the cursor of a terminal, or reorder or hide letters. */
export function isHarmless(text: string): boolean {
  return !/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(text);
}
export const hasControlCharacter = 'contains a control character; remove the invisible character';

/** Text that says something: not empty, not white space alone, and without control characters. */
export const Text = z
  .string()
  .regex(/\S/, { error: 'is empty; give a value' })
  .refine(isHarmless, { error: hasControlCharacter });

/** A `Text` of at most `limit` characters; no expression that follows runs on a longer one. */
export const shortText = (limit: number): typeof Text =>
  z
    .string()
    .max(limit, { error: `has more than ${limit} characters; shorten it`, abort: true })
    .regex(/\S/, { error: 'is empty; give a value' })
    .refine(isHarmless, { error: hasControlCharacter });

/** A word of a cloud: of its regions, images, … Blanks at its ends are refused when it is submitted: `cloudWordRules`. */
export const WordOfCloud = Text.meta({ pattern: '^\\S(.*\\S)?$' });

export const SecretReference = z.strictObject({
  name: Text.describe('Name of the Secret.'),
  namespace: Text.describe('Namespace of the Secret.'),
});
export type SecretReference = z.infer<typeof SecretReference>;

export const TemplatesReference = z.strictObject({
  name: Text.describe('Name of a TemplateGitReference.'),
  namespace: Text.optional().describe('Its namespace; that of the manifest when left out.'),
});

export const LabelKey = z
  .string()
  .regex(qualifiedName, {
    error: (issue) =>
      `${shown(issue.input)} is not a label key; use at most 63 letters, digits, "-", "_" and ".", after an optional "prefix.example/"`,
  })
  .refine((key) => key.indexOf('/') <= longestPrefix, {
    error: (issue) => `${shown(issue.input)} has a prefix of more than ${longestPrefix} characters; shorten it`,
  });

export const LabelValue = z.string().regex(labelValue, {
  error: (issue) =>
    `${shown(issue.input)} is not a label value; use at most 63 letters, digits, "-", "_" and ".", beginning and ending with a letter or digit`,
});

export const Labels = z.record(LabelKey, LabelValue);

/** Text of a user's own: several lines, and nothing that a terminal would obey. */
const OwnText = z.string().refine((text) => isHarmless(text.replaceAll(/[\n\t]/g, '')), { error: hasControlCharacter });

export const Annotations = z.record(LabelKey, OwnText).refine((map) => annotationBytes(map) <= 256 * 1024, {
  error: 'the annotations have more than 256 KiB together; shorten them',
});

/** Keys that Kubernetes puts on what it stores; a document exported from a cluster carries them, they are ignored here. */
export const serverFields = [
  'creationTimestamp',
  'deletionTimestamp',
  'finalizers',
  'generation',
  'managedFields',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
] as const;

export const Metadata = z.strictObject({
  name: dnsName(63).describe('Name of the document, unique in its namespace.'),
  namespace: dnsName(63).default('default').describe('Namespace it lives in.'),
  labels: z.record(OwnText, OwnText).optional().describe('Your own labels; Kubeloom ignores them.'),
  annotations: z.record(OwnText, OwnText).optional().describe('Your own annotations.'),
});

/** A Secret has names by the wider rule of Kubernetes: dots are allowed. */
export const SecretMetadata = Metadata.extend({
  name: z
    .string()
    .max(253, { error: 'has more than 253 characters; shorten it' })
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, {
      error: (issue) => `${shown(issue.input)} is not a name; use lower-case letters, digits, "-" and "."`,
    }),
});

/** A value for messages: text in quotes, cut when long. */
export function shown(value: unknown): string {
  const text = String(value);
  if (typeof value !== 'string') return text;
  return `"${text.length > 60 ? `${text.slice(0, 57)}…` : text}"`;
}

function suggestion(value: unknown, limit: number): string {
  const fitting = String(value)
    .slice(0, 300)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, limit)
    .replace(/-$/, '');
  return fitting === '' ? '' : `, for example "${fitting}"`;
}

function annotationBytes(map: Readonly<Record<string, string>>): number {
  return Object.entries(map).reduce((sum, [key, value]) => sum + utf8Bytes(key) + utf8Bytes(value), 0);
}

function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
