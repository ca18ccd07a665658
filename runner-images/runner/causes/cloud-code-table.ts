/** What the error codes of the clouds mean. Pure. */
import type { Meaning } from './cause-row.ts';
import { cloudMeanings as means } from './cloud-meanings.ts';

interface CodeRow {
  readonly meaning: Meaning;
  /** Separated by white space. */
  readonly codes: string;
}

/** They only say that a request was refused or failed, for reasons of all kinds: words are asked before their meaning counts. */
const vague: ReadonlySet<string> = new Set(
  `InternalError InternalServerError Conflict ConflictError conflict Client::Conflict InvalidParameter InvalidParameterValue OperationNotAllowed
  InvalidTemplateDeployment DeploymentFailed PropertyChangeNotAllowed BadRequest badRequest Bad_Request Client::BadRequest invalid_request invalid
  invalid_input forbidden Forbidden Client::Forbidden unprocessable_entity Service_Unavailable service_unavailable ServiceUnavailable server_error
  AuthFailure SignatureDoesNotMatch InvalidSignatureException conflictingRequest internal_error Internal_Server_Error computeFault`.split(
    /\s+/,
  ),
);

const rows: readonly CodeRow[] = [
  {
    meaning: means.quota,
    codes: `VcpuLimitExceeded InstanceLimitExceeded MaxSpotInstanceCountExceeded AddressLimitExceeded VpcLimitExceeded SubnetLimitExceeded
      RouteTableLimitExceeded InternetGatewayLimitExceeded SecurityGroupLimitExceeded RulesPerSecurityGroupLimitExceeded VolumeLimitExceeded
      SecurityGroupsPerInstanceLimitExceeded NetworkInterfaceLimitExceeded AttachmentLimitExceeded ResourceLimitExceeded LimitExceeded
      LimitExceededException TooManyHostedZones QuotaExceeded PublicIPCountLimitReached CoreQuotaExceeded VMScaleSetQuotaExceeded
      quotaExceeded QUOTA_EXCEEDED limitExceeded OverQuota overLimit TooManyFloatingIps TooManyInstances ServiceQuotaExceededException
      resource_limit_exceeded placement_group_member_limit_reached limit_exceeded quota_exceeded TenantCapacityExceeded SnapshotLimitExceeded
      IN_USE_ADDRESSES Client::QuotaExceeded MaxIOPSLimitExceeded CountLimitReached OutOfQuota insufficient_quota instance_limit_reached`,
  },
  { meaning: means.verification, codes: 'PendingVerification' },
  {
    meaning: means.capacity,
    codes: `InsufficientInstanceCapacity InsufficientHostCapacity InsufficientReservedInstanceCapacity InsufficientCapacityOnHost
      InsufficientCapacity InsufficientVolumeCapacity UnfulfillableCapacity SkuNotAvailable AllocationFailed ZonalAllocationFailed
      OverconstrainedAllocationRequest OverconstrainedZonalAllocationRequest ZONE_RESOURCE_POOL_EXHAUSTED RESOURCE_POOL_EXHAUSTED
      ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS OutOfHostCapacity OutOfCapacity resource_unavailable placement_error NoValidHost
      no_space_left_in_location not_enough_capacity insufficient_capacity out_of_stock no_capacity SpotCapacityNotAvailable`,
  },
  {
    meaning: means.rate,
    codes: `Throttling ThrottlingException ThrottledException RequestLimitExceeded RequestThrottled RequestThrottledException SlowDown
      TooManyRequests TooManyRequestsException EC2ThrottledException PriorRequestNotComplete BandwidthLimitExceeded RateLimitExceeded
      rateLimitExceeded userRateLimitExceeded RATE_LIMIT_EXCEEDED rate_limit_exceeded SubscriptionRequestsThrottled too_many_requests
      OperationThrottled Client::TooManyRequests`,
  },
  { meaning: means.clock, codes: 'RequestTimeTooSkewed RequestExpired InvalidTimestamp QUERY_TIME_OUT' },
  {
    meaning: means.login,
    codes: `InvalidClientTokenId SignatureDoesNotMatch InvalidSignatureException InvalidAccessKeyId ExpiredToken ExpiredTokenException
      AuthFailure UnrecognizedClientException IncompleteSignature InvalidToken MissingAuthenticationToken InvalidIdentityToken AADSTS
      InvalidAuthenticationToken ExpiredAuthenticationToken InvalidAuthenticationTokenTenant AuthenticationFailed InvalidClientSecret
      authError invalid_grant invalid_client UNAUTHENTICATED NotAuthenticated unauthorized Unauthorized unauthorized_request
      INVALID_CREDENTIAL INVALID_KEY NOT_CREDENTIAL INVALID_SIGNATURE Client::Unauthorized invalid_api_key invalid_token 10000 9106 9103 6003
      6111 9207 TokenExpired InvalidSecurityToken SubscriptionNotFound`,
  },
  {
    meaning: means.permission,
    codes: `UnauthorizedOperation AccessDenied AccessDeniedException AuthorizationFailed LinkedAuthorizationFailed PERMISSION_DENIED
      IAM_PERMISSION_DENIED NotAuthorizedOrNotFound RelatedResourceNotAuthorizedOrNotFound NotAuthorized forbidden Forbidden token_readonly
      Client::Forbidden NOT_GRANTED_CALL insufficientPermissions ACCESS_TOKEN_SCOPE_INSUFFICIENT policyNotAuthorized PolicyNotAuthorized
      AuthorizationPermissionMismatch 9109 10001 access_denied forbidden_action RoleAssignmentMissing`,
  },
  {
    meaning: means.terms,
    codes:
      'OptInRequired ResourcePurchaseValidationFailed MarketplacePurchaseEligibilityFailed VMMarketplaceInvalidInput ResourcePurchaseCanceled',
  },
  {
    meaning: means.account,
    codes: `MissingSubscriptionRegistration SubscriptionNotRegistered ReadOnlyDisabledSubscription DisabledSubscription Blocked AccountDisabled
      SERVICE_DISABLED accessNotConfigured BILLING_DISABLED billingNotEnabled accountDisabled UREQ_PROJECT_BILLING_NOT_FOUND
      insufficient_funds payment_required PaymentRequired account_locked AccountProblem NoRegisteredProviderFound CONSUMER_INVALID
      FeatureNotEnabled SubscriptionNotEnabledEncryptionAtHost SignUpRequired`,
  },
  {
    meaning: means.policy,
    codes:
      'RequestDisallowedByPolicy protected ScopeLocked OperationNotPermitted CONDITION_NOT_MET conditionNotMet delete_protected',
  },
  {
    meaning: means.busy,
    codes: `AnotherOperationInProgress OperationPreempted RetryableError NicInUse InUseSubnetCannotBeDeleted NicReservedForAnotherVm
      PublicIPAddressCannotBeDeleted InUseNetworkSecurityGroupCannotBeDeleted ReferencedResourceNotProvisioned DependencyViolation VolumeInUse
      IncorrectInstanceState IncorrectState IncorrectSpotRequestState ResourceInUse resourceInUseByAnotherResource resourceNotReady
      RESOURCE_IN_USE_BY_ANOTHER_RESOURCE RESOURCE_NOT_READY NetworkInUse SecurityGroupInUse PortInUse SubnetInUse RouterInUse
      conflictingRequest resource_in_use must_be_stopped HostedZoneNotEmpty RouterInterfaceInUseByFloatingIP InvalidGroup.InUse
      NotAllowedOperationOnLockedResource DiskInUse Conflict ConflictError conflict OperationNotAllowed CanNotDelete OperationAborted Canceled ExternalIpAddressExhausted`,
  },
  { meaning: means.outage, codes: 'locked' },
  {
    meaning: means.taken,
    codes: `AlreadyExists alreadyExists ALREADY_EXISTS uniqueness_error EntityAlreadyExists EntityAlreadyExistsException HostedZoneAlreadyExists
      InvalidKeyPair.Duplicate InvalidGroup.Duplicate InvalidPermission.Duplicate ResourceAlreadyExists StorageAccountAlreadyTaken
      InvalidatedRetryToken DnsRecordInUse DNSNameInUse DnsRecordAlreadyExists Client::Conflict 81053 81057 81058 already_exists
      IpAddressInUse IpAddressAlreadyAllocated VmExistsInAnotherZone`,
  },
  {
    meaning: means.outage,
    codes: `InternalError InternalServerError InternalFailure InternalExecutionError ServiceUnavailable ServerUnavailable Unavailable
      RequestTimeout RequestTimeoutException NetworkingInternalOperationError OperationTimedOut ServerTimeout GatewayTimeout backendError
      internalError serviceUnavailable SERVICE_UNAVAILABLE service_error server_error internal_error unavailable maintenance timeout
      OSProvisioningTimedOut VMStartTimedOut OSProvisioningInternalError Service_Unavailable service_unavailable Internal_Server_Error Gateway_Timeout UNAVAILABLE ABORTED INTERNAL Server::InternalError robot_unavailable
      InvalidInstanceID.NotFound InvalidGroup.NotFound InvalidVpcID.NotFound InvalidSubnetID.NotFound VMAgentStatusCommunicationError
      AcquireDiskLeaseFailed GatewayError bad_gateway computeFault`,
  },
  { meaning: means.ambiguous, codes: 'ResourceGroupNotFound' },
  {
    meaning: means.input,
    codes: `Unsupported UnsupportedOperation InvalidInput invalid_input unsupported_error invalid_request MalformedQueryString ValidationError
      MissingParameter CannotParseRequest PlatformImageNotFound ImageNotFound FlavorNotFound LocationNotAvailableForResourceType
      OperationNotSupported NotSupported SpotMaxPriceTooLow deprecated image_deprecated invalidParameter badRequest invalid required notFound
      NOT_FOUND RESOURCE_NOT_FOUND resourceNotFound itemNotFound not_found ImageVersionDeprecated SkuNotSupported no_subnet_available
      PropertyChangeNotAllowed OSProvisioningClientError CloudRegionMismatch invalid_server_type IP_SPACE_EXHAUSTED BadRequest Bad_Request
      InvalidZoneOutsideRegion ip_not_available Client::NotFound Client::BadRequest Client::ValidationError VMExtensionProvisioningError 7003 1004
      9005 NotFound ResourceNotFound InvalidParameter Not_Found not_found_error unprocessable_entity`,
  },
];

const byCode = new Map(
  rows.flatMap(({ meaning, codes }) => codes.split(/\s+/).map((code) => [code, meaning] as const)),
);

/** Whole families, where each cloud has dozens: `InvalidAMIID.NotFound`, `SnapshotQuotaExceeded`, `PublicIPCountLimitReached`. */
const families: readonly (readonly [RegExp, Meaning])[] = [
  [/(?:Limit|Quota|Count)(?:Exceeded|Reached)$/, means.quota],
  [/^Insufficient[A-Za-z]*Capacity$|AllocationFailed$/, means.capacity],
  [/InUse$|InProgress$|CannotBeDeleted$/, means.busy],
  [/Already(?:Exists|InUse|Taken|Used)|Duplicate/, means.taken],
  [/^Invalid[A-Z]|\.(?:NotFound|Malformed)$|NotFound$|NotSupported$/, means.input],
];

/** What the first of these codes means that is known; undefined where none is. */
export function meaningOfCodes(
  codes: readonly string[],
): { readonly meaning: Meaning; readonly vague: boolean } | undefined {
  const found = codes.flatMap((code) => {
    // OVH: `Client::NotFound::NoMatchingCompute` is a kind of `Client::NotFound`.
    const meaning = byCode.get(code) ?? byCode.get(code.split('::').slice(0, 2).join('::'));
    return meaning === undefined ? [] : [{ meaning, vague: vague.has(code) }];
  });
  const related = codes.flatMap((code) => families.find(([form]) => form.test(code))?.[1] ?? []);
  const [first] = related;
  return (
    found.find((one) => !one.vague) ?? found[0] ?? (first === undefined ? undefined : { meaning: first, vague: false })
  );
}
