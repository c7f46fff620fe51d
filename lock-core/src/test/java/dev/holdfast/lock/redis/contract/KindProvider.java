package dev.holdfast.lock.redis.contract;

import dev.holdfast.lock.redis.fixture.ContractKind;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** The kinds that are tested against the contract on a topology: all of them, or one of each way to name keys and channels. */
final class KindProvider implements ArgumentsProvider {

    private static final boolean NIGHTLY = Boolean.getBoolean("holdfast.soak");
    private static final Set<ContractKind> ONE_OF_EACH_WAY =
            EnumSet.of(ContractKind.REENTRANT, ContractKind.READ, ContractKind.MULTI);

    @Override
    public Stream<? extends Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
        boolean all = NIGHTLY || context.getTags().contains("every-kind");
        return (all ? EnumSet.allOf(ContractKind.class) : ONE_OF_EACH_WAY)
                .stream().map(Arguments::of);
    }
}
