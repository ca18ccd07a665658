import { describe, expect, test } from 'vitest';
import { balancerRows } from './claudie-balancer-rows.ts';
import { kubernetesRows } from './claudie-kubernetes-rows.ts';
import { planOfRow } from './claudie-rows.ts';
import { workText } from './work-text.ts';

const rows = [...balancerRows, ...kubernetesRows];

describe("the rows of Claudie's table of changes", () => {
  test.each(rows)('row $row is planned in the expected steps: $title', (row) => {
    const plan = planOfRow(row);
    expect(plan.refusals).toEqual([]);
    expect(workText(plan)).toEqual(row.path);
  });

  test("the rows have all of Claudie's table, and create and delete", () => {
    const named = new Set(rows.flatMap(({ row }) => row.split(', ')));
    const all = [...Array.from({ length: 35 }, (_, index) => `${index + 1}`), 'C', 'D'];
    expect(all.filter((row) => !named.has(row))).toEqual([]);
  });
});
