/**
 * A check on the user's own machine, with the Secrets of files: JSON on standard input, findings as JSON on standard
 * output. `kubeloom provider check -f` starts it; nothing is stored, and nothing is sent except to the cloud itself.
 */
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { Config } from '#contracts/config.ts';
import { CredentialCheck } from '#contracts/job.ts';
import { runCheck } from './check-request.ts';

const Input = z.strictObject({
  request: CredentialCheck,
  /** Fields by `<namespace>/<name>`. */
  secrets: z.record(z.string(), z.record(z.string(), z.string())),
});

const { request, secrets } = Input.parse(JSON.parse(await text(process.stdin)));
const findings = await runCheck(request, {
  secrets: { get: async (path) => secrets[path.replace(/^user\//, '')] },
  installation: process.env.KUBELOOM_INSTALLATION ?? Config.shape.KUBELOOM_INSTALLATION.parse(undefined),
  templatesDirectory: fileURLToPath(new URL('../../../templates', import.meta.url)),
});
process.stdout.write(`${JSON.stringify(findings)}\n`);
