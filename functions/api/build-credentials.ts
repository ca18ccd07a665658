/**
 * POST /v1/builds/credentials: a function of its own, since no other may become the roles of tools. Only the roles of builds may call it, which IAM
 * checks; who called comes from API Gateway and not from the caller.
 */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { CredentialsRequest } from '#contracts/build-credentials.ts';
import { asPipelineError, httpStatuses, parseInput, toProblem } from '../failures.ts';
import { eventBody, problemResult, toResult } from '../http.ts';
import { handOut, handOutUses } from '../pipeline/builds/hand-out.ts';
import { wire } from '../wire.ts';

/** The part of an event that IAM authorization adds. */
interface IamAuthorizer {
  readonly iam?: { readonly userArn?: string };
}

const longestBody = 200;

async function respond(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  const context = event.requestContext as { readonly authorizer?: IamAuthorizer; readonly requestId?: string };
  const caller = context.authorizer?.iam?.userArn ?? '';
  try {
    const body: unknown = JSON.parse(Buffer.from(eventBody(event, longestBody)).toString('utf8') || '{}');
    const { token } = parseInput(CredentialsRequest, body, 'the body');
    const credentials = await handOut(wire(), caller, token);
    log({ caller, outcome: 'ok' });
    return toResult({ status: 200, json: credentials, headers: { 'cache-control': 'no-store' } });
  } catch (thrown) {
    const error = asPipelineError(thrown);
    log({ caller, outcome: error.name, message: error.message });
    return problemResult(toProblem(error, context.requestId ?? 'unknown', false));
  }
}

/** One line for each call, never a token or a key. */
function log(about: Readonly<Record<string, string>>): void {
  const failed = (httpStatuses[about.outcome as keyof typeof httpStatuses] ?? 200) >= 400;
  const wanted = process.env.KUBELOOM_LOG ?? 'all';
  if (wanted === 'none' || (wanted === 'errors' && !failed)) return;
  const line = { at: new Date().toISOString(), level: failed ? 'error' : 'info', ...about };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

export const handler = Object.assign(respond, { uses: handOutUses });
