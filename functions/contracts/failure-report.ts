/** A failure as the API reports it: its parts for programs, its lines for people. */
import { z } from 'zod';
import { errorClasses } from '#domain/errors.ts';
import { FailureLines } from '#domain/failure-lines.ts';
import { StageName } from '#domain/plan.ts';

export const FailureReport = z
  .object({
    class: z.enum(errorClasses),
    code: z.string(),
    message: z.string().describe("the cause in the tool's own words"),
    hint: z.string(),
    outcome: z.string().describe('what was done about it'),
    resource: z.string().optional(),
    stage: StageName.optional(),
    runId: z.string(),
    at: z.string(),
    logCommand: z.string().optional().describe('the command that shows the log'),
    logPath: z.string().optional().describe('the log in this API'),
    lines: FailureLines.optional().describe('absent in answers of an older release'),
  })
  .meta({ id: 'FailureReport' });
export type FailureReport = z.infer<typeof FailureReport>;
