/** The route with IAM authorization: builds ask for their credentials, and the gateway says which build asks. */
import type { RequestListener } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { sendResult, toEvent } from 'aws-on-loopback/api-gateway/http-event.ts';
import { copyAsJson } from 'aws-on-loopback/lambda/lambda-host.ts';
import { type Logger, messageOf } from 'aws-on-loopback/logger.ts';
import { account } from 'aws-on-loopback/names.ts';
import { bodyWithin } from 'aws-on-loopback/server/body-within.ts';
import { buildCredentialsPath } from '#contracts/build-credentials.ts';
import { problem } from '../access/gateway-problem.ts';
import { buildRoleOf } from '../names.ts';
import { principalOf } from '../rights/doorkeeper.ts';

const longestBody = 16 * 1024;

/** Listener behind `guarded`: who is not a build is refused as IAM does, before the function is called. */
export function buildsDoor(
  handler: (event: APIGatewayProxyEventV2) => Promise<unknown>,
  logger: Logger,
): RequestListener {
  return async (request, response) => {
    try {
      const url = new URL(request.url ?? '/', 'http://127.0.0.1');
      const principal = principalOf(request);
      if (request.method !== 'POST' || url.pathname !== buildCredentialsPath)
        return problem(response, 404, 'NotFound', `there is no ${url.pathname}`);
      if (principal?.kind !== 'build')
        return problem(response, 403, 'Forbidden', 'only builds may ask for credentials');
      const body = await bodyWithin(request, longestBody);
      if (body === undefined) return problem(response, 413, 'PayloadTooLarge', 'the body is too large');
      const routeKey = `POST ${buildCredentialsPath}`;
      const event = toEvent({ request, url, body, routeKey, pathParameters: {}, claims: undefined });
      const authorizer = { iam: { userArn: userArnOf(principal.name) } };
      const asked = { ...event, requestContext: { ...event.requestContext, authorizer } };
      sendResult(response, copyAsJson(await handler(copyAsJson(asked) as APIGatewayProxyEventV2)));
    } catch (error) {
      logger.error('a request for credentials failed', { cause: messageOf(error) });
      problem(response, 500, 'InternalFault', 'a fault of Kubeloom itself; the log of the platform has the details');
    }
  };
}

/** The session of a build's role, as CodeBuild names it. */
function userArnOf(build: string): string {
  const [project = '', number = ''] = build.split(':');
  return `arn:aws:sts::${account}:assumed-role/${buildRoleOf(project)}/AWSCodeBuild-${number}`;
}
