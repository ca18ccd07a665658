import { describe, expect, test } from 'vitest';
import { nodeCases } from './change-cases.ts';
import { loadBalancerCases } from './load-balancer-cases.ts';
import { pathText, planned } from './planned.ts';
import { settingCases } from './setting-cases.ts';

const cases = [...nodeCases, ...loadBalancerCases, ...settingCases];

describe('kinds of changes', () => {
  test.each(cases)(
    'the change is planned in the expected steps: $title',
    ({ from, to, templates = {}, path, changes }) => {
      const plan = planned(from ?? {}, to, templates);
      expect(plan.refusals).toEqual([]);
      expect(pathText(plan)).toEqual(path);
      expect(plan.waypoints.flatMap((waypoint) => waypoint.changes.map(({ kind }) => kind))).toEqual(changes);
    },
  );
});
