/** The HTTP API: every operation of functions/contracts/operations, for known callers only, served by one function. */
import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type CfnStage,
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  type IHttpApi,
  type IHttpRouteAuthorizer,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { passesGateway } from '#contracts/operations/operation.ts';
import { operationList } from '#contracts/operations/operations.ts';
import { apiSeconds, type FunctionCode, ProductFunction } from '../constructs/product-function.ts';
import type { Options } from '../options.ts';
import type { UsedResources } from '../rights/grant-uses.ts';
import type { Settings } from '../settings.ts';

export interface ApiStackProps extends StackProps {
  readonly options: Options;
  readonly code: FunctionCode;
  /** Environment of every function. */
  readonly settings: Settings;
  readonly on: UsedResources;
  readonly api: IHttpApi;
}

/** Caller, route, source address and status; neither bodies nor headers. */
const accessLog = {
  requestId: '$context.requestId',
  time: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  caller: '$context.identity.userArn',
  subject: '$context.authorizer.claims.sub',
  route: '$context.routeKey',
  path: '$context.path',
  status: '$context.status',
  ms: '$context.responseLatency',
  bytes: '$context.responseLength',
  error: '$context.error.message',
  refused: '$context.authorizer.error',
};

export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props);
    const { options, settings, on } = props;
    const functionOf = (name: string) => ({
      code: props.code(name),
      environment: settings,
      // API Gateway waits 30 seconds at most; the function returns the reason before that.
      timeout: Duration.seconds(apiSeconds),
      logRetention: options.logDays,
      name,
      on,
    });
    const router = new ProductFunction(this, 'Router', {
      ...functionOf('router'),
      description: 'Kubeloom: the HTTP API',
      concurrency: options.apiConcurrency,
    });
    // Agents ask for ever: what they ask delays no person, and is not traced, which would cost more than the rest of it.
    const agents = new ProductFunction(this, 'Agents', {
      ...functionOf('agents'),
      description: 'Kubeloom: agents',
      traced: false,
    });
    const { apiId: httpApiId, apiEndpoint } = props.api;
    const httpApi = HttpApi.fromHttpApiAttributes(this, 'Api', { httpApiId, apiEndpoint });
    const callers = authorizer(options);
    const stage = new HttpStage(this, 'Stage', {
      httpApi,
      stageName: '$default',
      autoDeploy: true,
      throttle: throttleOf(options),
      accessLogSettings: {
        destination: new LogGroupLogDestination(
          // Who called what: it outlives the installation.
          new LogGroup(this, 'AccessLog', { retention: options.logDays, removalPolicy: RemovalPolicy.RETAIN }),
        ),
        format: AccessLogFormat.custom(JSON.stringify(accessLog)),
      },
    });
    // A statement for each route would fill the function's policy, which may have 20 KB.
    const integrationOf = (name: string, { fn }: ProductFunction) =>
      new HttpLambdaIntegration(name, fn, { scopePermissionToRoute: false });
    const [ofPeople, ofAgents] = [integrationOf('Router', router), integrationOf('Agents', agents)];
    const settingsOfRoutes: Record<string, CfnStage.RouteSettingsProperty> = {};
    for (const { method, path, access } of operationList) {
      const route = new HttpRoute(this, `${method}${path}`, {
        httpApi,
        integration: access === 'agent' ? ofAgents : ofPeople,
        routeKey: HttpRouteKey.with(path, HttpMethod[method]),
        authorizer: passesGateway(access) ? new HttpNoneAuthorizer() : callers,
      });
      if (!passesGateway(access)) continue;
      if (access === 'agent') {
        const { rateLimit: throttlingRateLimit, burstLimit: throttlingBurstLimit } = throttleOf(options);
        settingsOfRoutes[`${method} ${path}`] = { throttlingRateLimit, throttlingBurstLimit };
        // Only a route that exists can have settings.
        stage.node.addDependency(route);
      }
      const reason =
        access === 'agent'
          ? 'agents in workload clusters have tokens of their own, which the function compares with what is stored'
          : 'load balancers and monitors ask for it without credentials; it shows only that the API answers';
      Validations.of(route).acknowledge({ id: 'AwsSolutions-APIG4', reason });
    }
    (stage.node.defaultChild as CfnStage).routeSettings = settingsOfRoutes;
    new CfnOutput(this, 'Admins', { value: options.admins.join(','), description: 'Of all namespaces from the start' });
    new CfnOutput(this, 'Url', { value: apiEndpoint, description: 'Base URL of the API' });
  }
}

/** The throttle of a route of its own, or of all others together. */
function throttleOf({ requestsPerSecond, requestBurst }: Options) {
  return { rateLimit: requestsPerSecond, burstLimit: requestBurst };
}

function authorizer({ authorization, jwtIssuer = '', jwtAudience = [] }: Options): IHttpRouteAuthorizer {
  if (authorization === 'iam') return new HttpIamAuthorizer();
  return new HttpJwtAuthorizer('Jwt', jwtIssuer, { jwtAudience });
}
