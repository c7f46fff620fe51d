package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.Script;
import java.util.List;

/** Follows a run at the border between the clients and their server. */
interface Tracer {

    /** A script on its way to a server and back. */
    interface Call {

        /** Called when the script is sent, or sent again. */
        void sent();

        /** Called before the client receives the answer. */
        void answered(List<Object> values);
    }

    /** Returns a witness of a server's scripts. */
    SimulatedServer.Witness on(SimulatedServer server);

    /**
     * Called before a client sends a script.
     *
     * @param args the list that the witness will see with the script
     */
    Call call(SimulatedProcess process, Script script, List<String> keys, List<String> args);

    /** Called before a client receives a message. */
    void heard(SimulatedProcess process, String message);

    /** Called when a caller is given a lease. */
    void granted(Hold hold);
}
