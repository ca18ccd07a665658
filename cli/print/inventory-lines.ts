/** What the command line says of inventories. */
import type { Explanation, InventoryPlan, InventoryStored } from '#contracts/inventory.ts';
import { totalsText } from '#domain/planning/text/plan-totals.ts';
import { counted } from '#domain/words.ts';
import { sumOfCostLines } from './cost-lines.ts';
import { faultLines } from './faults.ts';
import { shortList } from './layout.ts';

/** Nothing for a document that changes no other cluster. */
export function behindLines({ behind, refused }: Pick<InventoryStored, 'behind' | 'refused'>): readonly string[] {
  const some = behind.slice(0, 8).join(', ');
  const more = behind.length > 8 ? ` and ${behind.length - 8} more` : '';
  return [
    ...(behind.length > 0
      ? [
          `${counted(behind.length, 'cluster')} behind: ${some}${more}; \`kubeloom inventory apply\` submits them, nothing was started`,
        ]
      : []),
    ...refused.flatMap(({ cluster, faults }) => [`${cluster} can no longer be made:`, ...placedLines(faults)]),
  ];
}

type Faults = InventoryStored['refused'][number]['faults'];

export function placedLines(faults: Faults): readonly string[] {
  return faults.flatMap(({ document, ...fault }) => {
    const lines = faultLines([fault], 'fault');
    return document ? [`  ${document.kind} ${document.name}`, ...lines] : lines;
  });
}

/** Numbers first; with `detail` what changes in each cluster. */
export function planLines(plan: InventoryPlan, detail: boolean): readonly string[] {
  const {
    id,
    depend,
    changes,
    overrides,
    same,
    refused,
    removed,
    totals,
    costOfMonth,
    budgets,
    clusters,
    needsApproval,
  } = plan;
  const parts = [
    `${changes} change`,
    ...(overrides > 0 ? [`${overrides} override`] : []),
    ...(same > 0 ? [`${same} stay the same`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(removed > 0 ? [`${removed} removed`] : []),
  ];
  const wanted = clusters.filter(({ impact }) => impact === 'refused' || (detail && impact !== 'same'));
  return [
    `${counted(depend, 'cluster')} ${depend === 1 ? 'depends' : 'depend'} on it: ${parts.join(', ')}`,
    ...(changes > 0 ? [totalsText(totals)] : []),
    ...(detail ? [] : namesOf(clusters)),
    ...(costOfMonth ? sumOfCostLines(costOfMonth) : []),
    ...(changes > 0 ? budgets.map(({ text }) => text) : []),
    ...wanted.flatMap((row) => [
      `${row.cluster}  ${impactText[row.impact]}${row.waypoints > 0 ? `, ${counted(row.waypoints, 'waypoint')}` : ''}`,
      ...row.changes.map((change) => `  ${change}`),
      ...placedLines(row.faults),
    ]),
    ...(needsApproval && changes > 0
      ? ['someone with the role approver has to approve it: a roll-out is kept as proposed']
      : []),
    ...(id === null || changes === 0 ? [] : [`plan ${id}`]),
  ];
}

/** Which clusters these are; those that stay the same are counted only, and those that are refused are shown with their faults. */
function namesOf(clusters: InventoryPlan['clusters']): readonly string[] {
  return (['changes', 'overrides', 'removed'] as const).flatMap((impact) => {
    const names = clusters.filter((row) => row.impact === impact).map(({ cluster }) => cluster);
    return names.length === 0 ? [] : [`${namesTitle[impact]}: ${shortList(names, 8)}`];
  });
}

const namesTitle = {
  changes: 'to change',
  overrides: 'with a value of their own',
  removed: 'without an InventoryCluster',
};

const impactText = {
  changes: 'changes',
  overrides: 'has a value of its own',
  same: 'stays the same',
  refused: 'refused',
  removed: 'its InventoryCluster is removed, its manifest stays',
} as const satisfies Record<InventoryPlan['clusters'][number]['impact'], string>;

/** One value, who set it and what that overrode. */
export function explainedLines({ values, by, generation }: Explanation): readonly string[] {
  return values.flatMap(({ path, value, from, template, sources }) => {
    const head = `${path} = ${JSON.stringify(value)}`;
    switch (from) {
      case 'default':
        return [head, '  default'];
      case 'manifest':
        return [head, `  manifest, generation ${generation ?? '?'} by ${by ?? 'an older release'}`];
      case 'template':
        return [head, `  template ${template}`];
      case 'templateDefault':
        return [head, `  default of template ${template}`];
      case 'layer':
        return [
          head,
          ...sources.flatMap((source) => [
            `  ${sourceText(source)}${template ? `, as ${source.value}` : ''}`,
            ...source.overrode.map((one) => `    overrode ${JSON.stringify(one.value)} of ${sourceText(one)}`),
          ]),
        ];
      default:
        return from satisfies never;
    }
  });
}

type Source = Omit<Explanation['values'][number]['sources'][number], 'value' | 'overrode'>;

function sourceText({ kind, name, level, generation, by }: Source): string {
  return `${kind} ${name}${kind === 'InventoryLayer' ? ` (${level})` : ''}, generation ${generation} by ${by}`;
}
