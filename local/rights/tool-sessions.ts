/** Sessions of the roles of tools, which the function that hands them out asks of STS. */
import { parseSessionPolicy } from 'aws-on-loopback/sts/session-policy.ts';
import type { AskedSession, SessionKeys } from 'aws-on-loopback/sts/sts-listener.ts';
import { runnerTools } from '#functions/rights/runner-rights.ts';
import { toolRoleArn } from '../names.ts';
import { sessionKeyOf } from './access-key.ts';
import { sealIdentity, ToolSession } from './session-token.ts';

/** Opens sessions that are sealed with the access key of the platform. Throws a sentence. */
export function toolSessions(accessKey: string): (asked: AskedSession) => SessionKeys {
  return ({ roleArn, name, tags: place, policy, until }) => {
    const tool = runnerTools.find((one) => toolRoleArn(one) === roleArn);
    if (tool === undefined) throw new Error(`there is no role ${roleArn}`);
    parseSessionPolicy(policy);
    const sessionToken = sealIdentity(
      accessKey,
      ToolSession.parse({ kind: 'session', name, tool, place, policy, until }),
    );
    return { accessKeyId: sessionKeyOf(sessionToken), sessionToken };
  };
}
