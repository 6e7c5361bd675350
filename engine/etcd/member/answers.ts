/** Headers and errors of answers, where etcd has more than one way. */
import { CODES, type EtcdError } from "../api/errors.ts";
import { NO_MEMBER } from "../api/ids.ts";
import { ResponseHeader } from "../api/messages.ts";
import type { Metadata } from "../api/methods.ts";
import { create } from "../api/proto.ts";
import { type Core, isFailure } from "./core.ts";

/** Marks an answer whose header etcd leaves out. */
const NO_HEADER = create(ResponseHeader);

export function withoutHeader(response: object): object {
  return isFailure(response) ? response : { ...response, header: NO_HEADER };
}

/** A header that a member's call made is whole; others are filled. */
export function headed(core: Core, response: object): { readonly header: ResponseHeader | null } {
  const { header } = response as { readonly header?: ResponseHeader | null };
  if (header === NO_HEADER) return { ...response, header: null };
  if (header !== undefined && header !== null && header.memberId !== NO_MEMBER) return { ...response, header };
  return { ...response, header: core.header(header ?? null) };
}

/** The maintenance service gives the errors of the auth store away as they are: of no kind that gRPC knows. */
export function unmapped({ message }: EtcdError): EtcdError {
  return { code: CODES.Unknown, message: message.replace("etcdserver:", "auth:") };
}

export function precondition(message: string): EtcdError {
  return { code: CODES.FailedPrecondition, message };
}

export function invalid(message: string): EtcdError {
  return { code: CODES.InvalidArgument, message };
}

/** Why a call that is root's is not this caller's. */
export function unlessAdmin({ state }: Core, { token }: Metadata): EtcdError | null {
  const info = state.auth.infoOf(token);
  return info !== null && isFailure(info) ? info : state.auth.checkAdmin(info);
}
