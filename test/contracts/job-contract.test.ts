/** What releases compare before functions of one give work to runners of another. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formOf, jobContract } from '#contracts/job-contract.ts';
import { WaypointDocument } from '#contracts/stage.ts';

describe('the contract of functions and runners', () => {
  it('the contract is short, and the same each time it is computed', () => {
    expect(jobContract()).toMatch(/^[0-9a-f]{16}$/);
    expect(jobContract()).toBe(jobContract());
  });

  it('a new field is another form, also one that may be absent: runners refuse what they do not know', () => {
    const now = JSON.stringify(formOf(WaypointDocument));
    expect(JSON.stringify(formOf(WaypointDocument.extend({ more: z.string().optional() })))).not.toBe(now);
  });

  it('a field deep inside of a cluster state is part of the form', () => {
    expect(JSON.stringify(formOf(WaypointDocument))).toContain('privateAddress');
  });
});
