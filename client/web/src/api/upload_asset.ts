// SPDX-License-Identifier: Apache-2.0
import { Code } from "@connectrpc/connect";
import { hasCode } from "./api_error";
import type { Api } from "./clients";
import { sha256 } from "./sha256";

const pieceBytes = 512 * 1024;

/** Uploads a file unless the server has it; answers with its asset's name. `progress` is told shares of the whole. */
export async function uploadAsset(
  api: Api, file: { readonly name: string; readonly data: Uint8Array }, progress: (share: number) => void = () => undefined,
): Promise<string> {
  const { data } = file;
  const name = `assets/${await sha256(data)}`;
  let committed = await committedBytes(api, name);
  while (committed < data.byteLength) {
    progress(committed / data.byteLength);
    const asset = await api.assets.write({
      name, byteCount: BigInt(data.byteLength), offset: BigInt(committed), data: data.subarray(committed, committed + pieceBytes),
      fileName: file.name,
    });
    committed = asset.complete ? data.byteLength : Number(asset.committedByteCount);
  }
  progress(1);
  return name;
}

async function committedBytes(api: Api, name: string): Promise<number> {
  try {
    const asset = await api.assets.get({ name });
    return Number(asset.committedByteCount);
  } catch (error) {
    if (hasCode(error, Code.NotFound)) return 0;
    throw error;
  }
}
