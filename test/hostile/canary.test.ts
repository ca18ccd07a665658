/** A canary that cannot sing proves nothing: each kind of it is heard when its text is obeyed. */
import { spawnSync } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { hostileTexts, openCanary } from './lies.ts';

const obeyedByShell = [
  'shell',
  'backticks',
  'quote',
  'double quote',
  'pipe',
  'newline',
  'process of a shell',
  'process after a quote',
];

it.each(obeyedByShell)('a shell that obeys the text "%s" is noticed, and nothing of it is left', async (name) => {
  const canary = openCanary();
  onTestFinished(canary.remove);
  expect(canary.sings()).toBe(false);
  const text = hostileTexts(canary.file)[name];
  for (const command of [`echo ${text}`, `echo '${text}'`, `echo "${text}"`])
    spawnSync('bash', ['-c', command], { stdio: 'ignore', timeout: 10_000 });
  await expect.poll(() => canary.sings(), { timeout: 60_000 }).toBe(true);
  canary.remove();
  expect(canary.sings()).toBe(false);
});
