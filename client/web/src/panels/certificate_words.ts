// SPDX-License-Identifier: Apache-2.0
import { count } from "@viewer/words/numbers";
import type { CertificateFigures } from "@viewer/stream/decoded_frame";

/** `0 in 12 substeps`; with jumps and who crossed first, where anything did. */
export function certificateWords(certificate: CertificateFigures): string {
  const { substepCount, crossingCount, jumpCount, firstCrossing } = certificate;
  const crossings = `${count(crossingCount)} in ${count(substepCount)} substeps`;
  const jumps = jumpCount > 0 ? `, ${count(jumpCount)} jumps` : "";
  return crossings + jumps + (firstCrossing === "" ? "" : `: ${firstCrossing}`);
}
