/** Why a document is as it is: for each value who set it, where, and what that overrode; defaults by their name. */
import { z } from 'zod';
import { isMap } from '../json.ts';
import { pathText } from '../manifest/faults/fault.ts';
import type { DefaultAt } from '../manifest/groups/document-defaults.ts';
import { sameValue } from '../same-value.ts';
import type { Resolution } from './resolve-cluster.ts';
import { originAt } from './resolve-cluster.ts';
import type { Uses } from './template/tracked.ts';
import { valueAt } from './value-at.ts';
import { covers, parseValuePath } from './value-path.ts';

const Source = z.strictObject({
  kind: z.string().describe('`InventoryLayer` or `InventoryCluster`'),
  name: z.string(),
  level: z.string(),
  generation: z.int(),
  by: z.string().describe('who stored it'),
});

export const ExplainedValue = z
  .strictObject({
    path: z.string(),
    value: z.unknown().describe('null: a layer removed it'),
    from: z
      .enum(['layer', 'template', 'templateDefault', 'manifest', 'default'])
      .describe(
        'layer: values of the inventory; template: its text; templateDefault: its default for an unset value; manifest: written by its submitter; default: of Kubeloom',
      ),
    template: z.string().optional().describe('`name@version`, of what a template made'),
    sources: z
      .array(
        Source.extend({
          value: z.string().describe('path of the value in the inventory'),
          overrode: z
            .array(Source.extend({ value: z.unknown() }))
            .describe('values of lower levels, the highest first'),
        }),
      )
      .describe('the values that were combined into it'),
  })
  .meta({ id: 'ExplainedValue' });
export type ExplainedValue = z.infer<typeof ExplainedValue>;

/** The values of a cluster of the inventory, then the leaves of its manifest; `manifest` is its document with the defaults. */
export function explainResolution(resolution: Resolution, manifest: unknown): readonly ExplainedValue[] {
  const { template, document } = resolution;
  const values = [...resolution.origin, ...resolution.removed].map(([path]) => ({
    path,
    value: valueIn(resolution, path),
    from: 'layer' as const,
    sources: sourcesOf(resolution, [path]),
  }));
  const all = resolution.uses();
  const leaves = [...documentLeaves(manifest)].map(({ path, parts, value }): ExplainedValue => {
    const uses = all.get(path) ?? usesOfWritten(all, document, parts);
    if (uses === undefined) return { path, value, from: 'default', sources: [] };
    const sources = sourcesOf(resolution, uses.values);
    const from = sources.length > 0 ? 'layer' : uses.otherwise ? 'templateDefault' : 'template';
    return { path, value, from, template, sources };
  });
  return [...values, ...leaves];
}

/** The leaves of a manifest that a person submitted; those that have their default are named so. */
export function explainLeaves(manifest: unknown, defaultAt: DefaultAt): readonly ExplainedValue[] {
  return [...documentLeaves(manifest)].map(({ path, value, parts }) => {
    const otherwise = defaultAt(parts);
    const from = otherwise !== undefined && sameValue(otherwise.value, value) ? 'default' : 'manifest';
    return { path, value, from, sources: [] };
  });
}

/** Those at the path and below it; all without one. */
export function explainedAt(all: readonly ExplainedValue[], path: string | undefined): readonly ExplainedValue[] {
  const wanted = path === undefined ? [] : parseValuePath(path);
  if (wanted === undefined) return [];
  return all.filter((one) => covers(wanted, parseValuePath(one.path) ?? []));
}

/** Uses of a value that is written in another form: a list of commands that becomes one text, a number that becomes a map. */
function usesOfWritten(
  all: ReturnType<Resolution['uses']>,
  document: unknown,
  parts: readonly (string | number)[],
): Uses | undefined {
  let written: unknown = document;
  for (const [index, part] of parts.entries()) {
    if (written === undefined) return undefined;
    if (typeof written !== 'object' || written === null) return all.get(pathText(parts.slice(0, index)));
    written = (written as Readonly<Record<string | number, unknown>>)[part];
  }
  const uses = [...documentLeaves(written, parts)].flatMap(({ path }) => all.get(path) ?? []);
  if (written === undefined || uses.length === 0) return undefined;
  const otherwise = uses.some((one) => one.otherwise);
  return { values: uses.flatMap(({ values }) => values), ...(otherwise && { otherwise }) };
}

function sourcesOf({ origin, removed }: Resolution, paths: readonly string[]): ExplainedValue['sources'] {
  return [...new Set(paths)].flatMap((value) => {
    const parts = parseValuePath(value) ?? [];
    const found = originAt(origin, parts) ?? originAt(removed, parts);
    if (found === undefined) return [];
    const { kind, name, level, generation, by, overrode } = found;
    return [{ kind, name, level, generation, by, value, overrode: overrode.map((one) => ({ ...one })) }];
  });
}

function valueIn({ origin, values, isByName }: Resolution, path: string): unknown {
  return origin.has(path) ? (valueAt(values, parseValuePath(path) ?? [], isByName)?.value ?? null) : null;
}

interface Leaf {
  readonly path: string;
  readonly parts: readonly (string | number)[];
  readonly value: unknown;
}

function* documentLeaves(value: unknown, parts: readonly (string | number)[] = []): Iterable<Leaf> {
  const inner: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : isMap(value)
      ? Object.entries(value)
      : [];
  if (inner.length === 0) yield { path: pathText(parts), parts, value };
  for (const [key, one] of inner) yield* documentLeaves(one, [...parts, key]);
}
