// SPDX-License-Identifier: Apache-2.0
import "@viewer/styles/index.css";
import { render } from "preact";
import { connect } from "@viewer/api/clients";
import { App } from "@viewer/app/app";
import { route, startRouting } from "@viewer/page/route";
import { startTheme } from "@viewer/page/theme";
import { prepareWorker } from "@viewer/stream/worker_start";

const root = document.getElementById("app");
if (root === null) throw new Error("index.html has no #app");
startTheme();
startRouting();
if (route.value.page === "session") prepareWorker();
render(<App api={connect(location.origin)} />, root);
