/** Answers of the API about checks of credentials. */
import { z } from 'zod';
import { CheckFinding } from './job.ts';

const about = {
  namespace: z.string(),
  name: z.string(),
  provider: z.string().describe('name of the provider instance'),
  id: z.string(),
};

export const CheckAccepted = z
  .object({ ...about, links: z.record(z.string(), z.string()).describe('`check`: where its outcome will be') })
  .meta({ id: 'CheckAccepted' });
export type CheckAccepted = z.infer<typeof CheckAccepted>;

export const ProviderCheck = z
  .object({
    ...about,
    status: z.enum(['running', 'done', 'lost']).describe('lost: its build ended without a result'),
    startedAt: z.string(),
    endedAt: z.string().nullable(),
    findings: z.array(CheckFinding).describe('empty until it is done, and for types without credentials'),
    build: z.string().describe('id of the build, whose log has the reason of a lost check'),
  })
  .meta({ id: 'ProviderCheck' });
export type ProviderCheck = z.infer<typeof ProviderCheck>;
