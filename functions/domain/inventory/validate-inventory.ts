/** Validates a document of an inventory alone: its form, an order in itself, a template without values. */

import { isMap } from '../json.ts';
import { error, type Fault } from '../manifest/faults/fault.ts';
import { type FormVerdict, validateForm } from '../manifest/faults/validate-form.ts';
import { planeFaults } from '../planes/plane-rules.ts';
import {
  type InventoryDocument,
  type InventoryKind,
  type InventoryTemplate,
  inventoryShapes,
  ownLevel,
} from './inventory-documents.ts';
import { removeWord } from './items-by-name.ts';
import { type OrderOfLevels, orderFaults } from './order-of-levels.ts';
import { checkTemplate } from './template/check-template.ts';
import { parseTemplate } from './template/parse-template.ts';
import { leafPaths } from './value-at.ts';
import { valuePathText } from './value-path.ts';

/** What is known of the other documents of its namespace. */
export interface InventorySurroundings {
  /** @default a layer may be anywhere and set everything */
  readonly order?: OrderOfLevels;
  /** Templates by `name@version`, to follow the parts that are included from others. @default none */
  readonly templates?: (name: string) => InventoryTemplate | undefined;
}

/** Never throws. */
export function validateInventoryDocument(
  kind: InventoryKind,
  document: unknown,
  surroundings: InventorySurroundings = {},
): FormVerdict<InventoryDocument> {
  return validateForm<InventoryDocument>(inventoryShapes[kind], document, (one) => faultsOf(one, surroundings));
}

function faultsOf(document: InventoryDocument, surroundings: InventorySurroundings): readonly Fault[] {
  switch (document.kind) {
    case 'InventoryOrder':
      return orderFaults(document);
    case 'InventoryTemplate':
      return templateFaults(document, surroundings);
    case 'InventoryLayer': {
      const { level, values } = document.spec;
      return [...wordFaults(values), ...levelFaults(level, values, surroundings.order)];
    }
    case 'InventoryCluster':
      return [...wordFaults(document.spec.values), ...levelFaults(ownLevel, document.spec.values, surroundings.order)];
    case 'ManagementPlane':
      return [...planeFaults(document)];
    default:
      return document satisfies never;
  }
}

/** What a level may not set, whatever a cluster is made of. */
function levelFaults(level: string, values: unknown, order: OrderOfLevels | undefined): readonly Fault[] {
  if (order === undefined) return [];
  if (!order.levels.includes(level)) {
    return [error(['spec', 'level'], `there is no level "${level}"`, `the levels are ${order.levels.join(', ')}`)];
  }
  return [...leafPaths(values, order.isByName)].flatMap((path) => {
    const rank = order.rankAt(path, level);
    if (typeof rank === 'number') return [];
    const reason = `level ${level} sets ${valuePathText(path)}, but ${rank}`;
    return [error(['spec', 'values', ...path], reason, 'remove it here, or change the InventoryOrder')];
  });
}

/** Words with `$` belong to templates. */
function wordFaults(value: unknown, path: readonly PropertyKey[] = ['spec', 'values']): readonly Fault[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => wordFaults(item, [...path, index]));
  if (!isMap(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const isItem = typeof path.at(-1) === 'number';
    if (!key.startsWith('$') || (key === removeWord && isItem)) return wordFaults(inner, [...path, key]);
    const fix = 'values cannot contain loops or conditions: put those into the template';
    return [error([...path, key], `"${key}" is a word of templates`, fix)];
  });
}

function templateFaults(document: InventoryTemplate, { templates }: InventorySurroundings): readonly Fault[] {
  const parsed = parseTemplate(document);
  const metadata = isMap(document.spec.document?.metadata) ? document.spec.document.metadata : {};
  const own = ['apiVersion', 'kind', 'status'].flatMap((field) =>
    field in (document.spec.document ?? {})
      ? [error(['spec', 'document', field], 'cannot be set by the template', `remove it: spec.produces is the kind`)]
      : [],
  );
  const names = Object.keys(metadata)
    .filter((key) => key !== 'labels' && key !== 'annotations')
    .map((key) =>
      error(
        ['spec', 'document', 'metadata', key],
        'cannot be set by the template',
        'remove it: the InventoryCluster has it',
      ),
    );
  if (parsed.faults.length > 0) return [...own, ...names, ...parsed.faults];
  const others = (name: string) => {
    const found = templates?.(name);
    // It may be stored later: the clusters that need it say so until then.
    return found ? parseTemplate(found) : 'later';
  };
  const { faults } = checkTemplate(parsed, others);
  const mine = faults.filter(({ template }) => template === parsed.name).map(({ template: _, ...fault }) => fault);
  return [...own, ...names, ...mine];
}
