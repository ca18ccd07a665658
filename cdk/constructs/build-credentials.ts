/** What gives each build the credentials for its job: a function that may become the roles of tools, behind a route for the roles of builds. */
import { Duration, Stack } from 'aws-cdk-lib';
import { type HttpApi, HttpMethod, HttpRoute, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IProject } from 'aws-cdk-lib/aws-codebuild';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { buildCredentialsPath } from '#contracts/build-credentials.ts';
import { type RunnerTool, runnerTools } from '#functions/rights/runner-rights.ts';
import type { UsedResources } from '../rights/grant-uses.ts';
import type { Settings } from '../settings.ts';
import { apiSeconds, type FunctionCode, ProductFunction, roleOfFunction } from './product-function.ts';

const name = 'build-credentials';
const description = `Kubeloom: ${name}`;

/** The role that builds of a runner work in, the one that they start with, and their projects. */
interface RunnerRoles {
  readonly role: Role;
  readonly buildRole: Role;
  readonly projects: readonly IProject[];
}

/** Where builds ask, known before the function is made: the roles of runners name it. */
export class CredentialsDoor extends Construct {
  /** The only one that may become the roles of tools. */
  readonly role: Role;
  readonly url: string;
  /** ARN of the route. */
  readonly route: string;
  readonly #api: HttpApi;

  constructor(scope: Construct, id: string, api: HttpApi) {
    super(scope, id);
    this.#api = api;
    this.role = roleOfFunction(this, 'Role', description);
    this.url = `${api.apiEndpoint}${buildCredentialsPath}`;
    const resourceName = `*/POST${buildCredentialsPath}`;
    this.route = Stack.of(this).formatArn({ service: 'execute-api', resource: api.apiId, resourceName });
  }

  /** In the stack of the runners and not with the other routes: whenever the stack of the API is deployed, builds have it. */
  open(given: {
    readonly code: FunctionCode;
    readonly settings: Settings;
    readonly logRetention: RetentionDays;
    readonly on: UsedResources;
    readonly runners: Readonly<Record<RunnerTool, RunnerRoles>>;
  }): void {
    const { code, settings, logRetention, on, runners } = given;
    const builds = runnerTools.map((tool) => {
      const { buildRole, projects } = runners[tool];
      return [buildRole.roleName, projects.map(({ projectName }) => projectName)] as const;
    });
    const tools = runnerTools.map((tool) => [tool, runners[tool].role.roleArn] as const);
    const { fn } = new ProductFunction(this, 'Asked', {
      code: code(name),
      description,
      environment: {
        ...settings,
        KUBELOOM_BUILD_ROLES: JSON.stringify(Object.fromEntries(builds)),
        KUBELOOM_TOOL_ROLES: JSON.stringify(Object.fromEntries(tools)),
      },
      timeout: Duration.seconds(apiSeconds),
      logRetention,
      name,
      role: this.role,
      on,
    });
    new HttpRoute(this, 'Route', {
      httpApi: this.#api,
      integration: new HttpLambdaIntegration('Integration', fn),
      routeKey: HttpRouteKey.with(buildCredentialsPath, HttpMethod.POST),
      authorizer: new HttpIamAuthorizer(),
    });
  }
}
