// SPDX-License-Identifier: Apache-2.0
import { signal } from "@preact/signals";
import { formatCamera, parseCamera, type CameraState } from "@viewer/view/camera_state";
import { planes, type Plane } from "@viewer/view/field_bins";

/** What the page's address says. */
export type Route =
  | { readonly page: "list" }
  /** `from` is the id of a session whose scene it begins with. */
  | { readonly page: "new"; readonly example?: string; readonly from?: string }
  | { readonly page: "session"; readonly id: string; readonly place: Place }
  | { readonly page: "missing"; readonly path: string };

/** Where in a session: a frame (the newest if omitted), a camera, a 2D view. */
export interface Place {
  readonly frame?: number;
  readonly camera?: CameraState;
  readonly plane?: Plane;
}

export function parseRoute(path: string, query: string): Route {
  const parameters = new URLSearchParams(query);
  const session = /^\/sessions\/([a-z0-9-]+)\/?$/.exec(path);
  if (session?.[1] !== undefined) return { page: "session", id: session[1], place: parsePlace(parameters) };
  if (/^\/new\/?$/.test(path)) {
    const example = parameters.get("example");
    const from = parameters.get("from");
    return { page: "new", ...(example !== null && { example }), ...(from !== null && { from }) };
  }
  return /^\/(?:sessions\/?|index\.html)?$/.test(path) ? { page: "list" } : { page: "missing", path };
}

function parsePlace(parameters: URLSearchParams): Place {
  const frame = Number(parameters.get("frame") ?? Number.NaN);
  const camera = parseCamera(parameters.get("camera") ?? "");
  const plane = planes.find((name) => name === parameters.get("view"));
  return {
    ...(Number.isSafeInteger(frame) && frame >= 0 && { frame }),
    ...(camera && { camera }),
    ...(plane && { plane }),
  };
}

/** The address of a place; `parseRoute` reads it back. */
export function addressOf(id: string, place: Place): string {
  const parameters: string[] = [];
  if (place.frame !== undefined) parameters.push(`frame=${place.frame}`);
  if (place.plane !== undefined) parameters.push(`view=${place.plane}`);
  if (place.camera !== undefined) parameters.push(`camera=${formatCamera(place.camera)}`);
  return `/sessions/${id}${parameters.length > 0 ? `?${parameters.join("&")}` : ""}`;
}

export const route = signal<Route>({ page: "list" });

function read(): void {
  route.value = parseRoute(location.pathname, location.search);
}

/** Follows the address from now on. */
export function startRouting(): void {
  read();
  addEventListener("popstate", read);
}

export function go(address: string): void {
  history.pushState(null, "", address);
  read();
}

/** For links of our own pages: no reload, but everything else that a link does. */
export function follow(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.currentTarget as HTMLAnchorElement;
  event.preventDefault();
  go(link.pathname + link.search);
}
