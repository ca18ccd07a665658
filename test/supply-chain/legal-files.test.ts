/** What a clone says about its licence and about reports of holes. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

it('the licence is the text of Apache-2.0, whose appendix names the authors', () => {
  const own = '   Copyright 2026 The Kubeloom authors\n';
  const text = read('LICENSE');
  expect(text).toContain(own);
  const original = text.replace(own, '   Copyright [yyyy] [name of copyright owner]\n');
  // The sum is that of the file in Debian's base-files.
  expect(createHash('sha256').update(original).digest('hex')).toBe(
    'cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30',
  );
  expect(JSON.parse(read('package.json')).license).toBe('Apache-2.0');
});

it('the security policy says how to report, and invents no address', () => {
  const policy = read('SECURITY.md');
  expect(policy).toMatch(/Report a vulnerability/);
  expect(policy).not.toMatch(/\S+@\S+\.\S+/);
  const { version } = JSON.parse(read('package.json'));
  expect(policy).toContain(`today that is ${version.split('.').slice(0, 2).join('.')}.`);
  for (const [, target = ''] of policy.matchAll(/\]\(([^)#]+)\)/g))
    expect(existsSync(join(root, target)), target).toBe(true);
});
